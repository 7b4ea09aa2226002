package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.Diff;
import dev.sandglass.wire.DiffState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.FileChange;
import dev.sandglass.wire.PackageChange;
import dev.sandglass.wire.ProcessChange;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What differs between two states is told, whatever is in them, and quickly where little differs. */
@OnEveryRuntime
@Timeout(300)
class DiffTest {
    private static final int FILES = Soak.on() ? 100_000 : 10_000;
    private static final int PROCESSES = Soak.on() ? 1000 : 200;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    DiffTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void whatCameWentAndChangedIsTold() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime))) {
            assertThat(files(diff(null, box.id()))).as("nothing was done yet").isEmpty();
            box.output("""
                    set -e
                    cd /workspace; mkdir tree opaque; echo one > text; echo same > same; echo x > goes; echo x > tree/file; ln -s text link; touch mode owner
                    echo lower > opaque/hidden; echo twelve bytes > kind""");
            Snapshot first = daemon.api().capture(box.id(), null);
            assertThat(files(diff(null, first.id()))).contains("added /workspace/tree/file []").doesNotContain("added /workspace []");
            box.output("""
                    set -e
                    cd /workspace; echo two > text; touch same; rm -r goes tree; ln -sfn owner link; chmod 4755 mode; chown 1000:1000 owner
                    rm kind; mkdir kind; echo new > kind/new
                    rm /etc/issue; rm -r /usr/share/doc/dpkg; mkdir /usr/share/doc/dpkg; echo mine > /usr/share/doc/dpkg/mine""");
            String[] expected = {
                "removed /etc/issue []",
                "removed /usr/share/doc/dpkg/copyright []",
                "added /usr/share/doc/dpkg/mine []",
                "removed /workspace/goes []",
                "changed /workspace/kind [kind, mode]",
                "added /workspace/kind/new []",
                "changed /workspace/link [target]",
                "changed /workspace/mode [mode]",
                "changed /workspace/owner [owner]",
                "changed /workspace/text [content]",
                "removed /workspace/tree []",
                "removed /workspace/tree/file []"
            };
            assertThat(files(diff(null, box.name()))).filteredOn(DiffTest::isExpected).containsExactly(expected);
            Snapshot second = daemon.api().capture(box.id(), "diff-" + runtime);
            assertThat(files(diff(first.id(), "diff-" + runtime))).filteredOn(DiffTest::isExpected).containsExactly(expected);
            assertThat(files(diff(null, box.id()))).isEmpty();
            try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(second.id()))) {
                assertThat(files(diff(second.id(), copy.id()))).isEmpty();
                copy.output("rm -r /workspace/opaque; mkdir /workspace/opaque; echo upper > /workspace/opaque/shown; rm -r /workspace/kind; echo file > /workspace/kind");
                assertThat(files(diff(null, copy.id()))).containsExactly(
                        "changed /workspace/kind [kind, mode]",
                        "removed /workspace/kind/new []",
                        "removed /workspace/opaque/hidden []",
                        "added /workspace/opaque/shown []");
                Snapshot third = daemon.api().capture(copy.id(), null);
                assertThat(files(diff(third.id(), first.id()))).contains("removed /workspace/opaque/shown []", "added /workspace/opaque/hidden []");
                List<String> there = files(diff(first.id(), third.id()));
                daemon.api().deleteSnapshot(second.id());
                assertThat(files(diff(first.id(), copy.id()))).as("layers of a deleted one are still looked at").isEqualTo(there);
                daemon.api().deleteSnapshot(third.id());
                refused(ErrorCode.SNAPSHOT_NOT_FOUND, () -> diff(null, copy.id()));
            }
            daemon.api().deleteSnapshot(first.id());
        }
        assertThat(layers()).as("what was frozen to be compared is gone").isEmpty();
    }

    @Test
    void textsAndPackagesAreTold() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime))) {
            box.output("""
                    set -e
                    seq 20 > /workspace/text; head -c 1000 /dev/zero > /workspace/binary
                    mkdir -p /usr/lib/python3/dist-packages/One_two-1.0.dist-info /workspace/node_modules/@a/b /workspace/node_modules/c/sub
                    echo '{"name":"@a/b","version":"1.0.0"}' > /workspace/node_modules/@a/b/package.json
                    echo '{"version":"1.0.0"}' > /workspace/node_modules/c/package.json""");
            Snapshot before = daemon.api().capture(box.id(), null);
            box.output("""
                    set -e
                    sed -i 's/^10$/ten/' /workspace/text; printf 1 >> /workspace/binary; echo fresh > /workspace/fresh
                    cd /usr/lib/python3/dist-packages; mv One_two-1.0.dist-info One_two-1.1.dist-info; mkdir three-3.dist-info
                    echo '{"version":"2.0.0"}' > /workspace/node_modules/c/package.json; rm -r /workspace/node_modules/@a
                    echo 'not json' > /workspace/node_modules/c/sub/package.json; mkdir /workspace/node_modules/d; echo '[' > /workspace/node_modules/d/package.json
                    printf '\\nPackage: told\\nStatus: install ok installed\\nVersion: 1:2-3\\n\\nPackage: half\\nStatus: deinstall ok config-files\\nVersion: 1\\n' >> /var/lib/dpkg/status""");
            Diff diff = diff("text=true&from=" + before.id() + "&to=" + box.id());
            assertThat(change(diff, "/workspace/text").text()).isEqualTo("""
                    --- a/workspace/text
                    +++ b/workspace/text
                    @@ -7,7 +7,7 @@
                     7
                     8
                     9
                    -10
                    +ten
                     11
                     12
                     13
                    """);
            assertThat(change(diff, "/workspace/fresh").text()).endsWith("@@ -0,0 +1 @@\n+fresh\n");
            assertThat(change(diff, "/workspace/binary").text()).isNull();
            assertThat(Objects.requireNonNull(change(diff, "/workspace/binary").after()).size()).isEqualTo(1001);
            assertThat(diff.packages()).containsExactly(
                    new PackageChange("dpkg", "told", null, "1:2-3"),
                    new PackageChange("npm", "@a/b", "1.0.0", null),
                    new PackageChange("npm", "c", "1.0.0", "2.0.0"),
                    new PackageChange("npm", "d", null, "unknown"),
                    new PackageChange("pip", "one_two", "1.0", "1.1"),
                    new PackageChange("pip", "three", null, "3"));
            daemon.api().deleteSnapshot(before.id());
        }
    }

    @Test
    void littleThatDiffersInMuchIsFoundQuickly() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime))) {
            box.output(Run.python("""
                    import os
                    for d in range(%d):
                        os.makedirs(f'/workspace/many/{d}')
                        for f in range(100):
                            open(f'/workspace/many/{d}/{f}', 'w').write(str(f))
                    """.formatted(FILES / 100)));
            Snapshot before = daemon.api().capture(box.id(), null);
            box.output("cd /workspace/many/7; echo changed > 7; rm 8; echo new > new; mv ../9 ../moved");
            Snapshot after = daemon.api().capture(box.id(), null);
            for (String to : List.of(box.id(), after.id())) {
                long begun = System.nanoTime();
                Diff diff = diff("limit=3&from=" + before.id() + "&to=" + to);
                System.out.printf("%d files on %s, 4 changes, snapshot and %s: %d ms%n", FILES, runtime, to.substring(0, 4), (System.nanoTime() - begun) / 1_000_000);
                assertThat(diff.files()).hasSize(3).first().extracting(FileChange::path).isEqualTo("/workspace/many/7/7");
                assertThat(List.of(diff.added(), diff.changed(), diff.removed())).containsExactly(102L, 1L, 102L);
                assertThat(diff.truncated()).isTrue();
            }
            daemon.api().deleteSnapshot(before.id());
            daemon.api().deleteSnapshot(after.id());
        }
    }

    @Test
    void hostileContentDoesNoHarm() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime))) {
            Snapshot before = daemon.api().capture(box.id(), null);
            box.output(Run.python("""
                    import os
                    os.chdir('/workspace')
                    for name in [b'new\\nline', b'\\xff\\xfe', b'\\x1b[31m', b'a' * 255, b'back\\\\slash', b'"', b'..x']:
                        open(name, 'w').close()
                    os.symlink('/', 'top'); os.symlink('/etc/shadow', 'shadow'); os.symlink('loop', 'loop'); os.symlink('x' * 4000, 'long')
                    os.mkdir('node_modules'); os.symlink('/', 'node_modules/top')
                    os.unlink('/var/lib/dpkg/status'); os.symlink('/dev/zero', '/var/lib/dpkg/status')
                    for level in range(2100):
                        os.mkdir('d'); os.chdir('d')
                    """));
            Diff diff = diff("text=true&from=" + before.id() + "&to=" + box.id());
            assertThat(diff.files()).extracting(FileChange::path).filteredOn(path -> path.length() < 1000)
                    .contains("/workspace/new\nline", "/workspace/\uFFFD\uFFFD", "/workspace/\u001b[31m", "/workspace/" + "a".repeat(255), "/workspace/..x");
            assertThat(Objects.requireNonNull(change(diff, "/workspace/shadow").after()).target()).isEqualTo("/etc/shadow");
            assertThat(change(diff, "/var/lib/dpkg/status").fields()).contains("kind");
            assertThat(diff.truncated()).as("directories that are too deep are left out").isTrue();
            refused(ErrorCode.SNAPSHOT_NOT_FOUND, () -> diff(null, "nothing-like-it"));
            daemon.api().deleteSnapshot(before.id());
        }
    }

    @Test
    void processesThatCameAndWentAreTold() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            assertThat(processes(diff(null, box.id()))).as("only the agent runs").isEmpty();
            Command first = box.start(Run.of("sleep", "1001").as("user"));
            box.start(Run.of("sleep", "1002"));
            Diff sinceImage = diff(null, box.id());
            assertThat(processes(sinceImage)).containsExactly("added sleep 1001", "added sleep 1002");
            assertThat(sinceImage.processes()).extracting(ProcessChange::uid).containsExactly(1000L, 0L);
            assertThat(sinceImage.processes()).extracting(ProcessChange::parent).containsOnly(1L);
            assertThat(List.of(count(sinceImage.from()), count(sinceImage.to()))).containsExactly(0L, 2L);
            Snapshot before = daemon.api().captureAll(box.id());
            boolean full = before.kind().equals("full");
            assertThat(full).isEqualTo(runtime.equals("gvisor"));
            assertThat(count(diff(before.id(), box.id()).from())).isEqualTo(full ? 2 : 0);
            box.signal(first, "KILL");
            box.await(first);
            box.start(Run.of("sleep", "1003"));
            String[] expected = full ? new String[] {"removed sleep 1001", "added sleep 1003"} : new String[] {"added sleep 1002", "added sleep 1003"};
            assertThat(processes(diff(before.id(), box.id()))).containsExactly(expected);
            if (full) {
                ofFullSnapshots(box, before, expected);
            }
            box.stop();
            assertThat(count(diff(before.id(), box.id()).to())).as("of one that is stopped").isZero();
            daemon.api().deleteSnapshot(before.id());
        }
    }

    private void ofFullSnapshots(TestSandbox box, Snapshot before, String[] expected) throws IOException {
        Snapshot after = daemon.api().captureAll(box.id());
        assertThat(processes(diff(before.id(), after.id()))).containsExactly(expected);
        assertThat(processes(diff(after.id(), before.id()))).containsExactly("added sleep 1001", "removed sleep 1003");
        assertThat(processes(diff(before.id(), daemon.api().capture(box.id(), "disk").id()))).as("a disk has none").containsExactly("removed sleep 1001", "removed sleep 1002");
        daemon.api().deleteSnapshot("disk");
        try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(before.id()))) {
            Diff same = diff(before.id(), copy.id());
            assertThat(processes(same)).as("they go on in a copy under their numbers").isEmpty();
            assertThat(count(same.to())).isEqualTo(2);
        }
        box.pause(false);
        Diff resting = diff(after.id(), box.id());
        assertThat(processes(resting)).as("those of one that is paused are those with which it goes on").isEmpty();
        assertThat(count(resting.to())).isEqualTo(2);
        box.resume(false);
        String image = daemon.data().resolve("pool") + "/memory-" + after.id();
        MountNamespace.inside(daemon.run(), "btrfs property set " + image + " ro false; rm " + image + "/image/processes.json; btrfs property set " + image + " ro true");
        Diff older = diff(after.id(), before.id());
        assertThat(older.from().processes()).as("not known, as of a snapshot that was taken before there were lists").isNull();
        assertThat(older.to().processes()).isEqualTo(2);
        assertThat(older.processes()).isEmpty();
        daemon.api().deleteSnapshot(after.id());
    }

    @Test
    void hostileProcessesDoNoHarm() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(1024).processes(2000))) {
            box.start(Run.python("import os; os.execv('/bin/sleep', [b'\\x1b]0;title\\x07\\n\\xff', b'1000'])"));
            box.start(Run.python("import os; os.execv('/bin/sh', ['long', '-c', 'sleep 1000; :'] + ['x' * 100000] * 10)"));
            box.start(Run.of("perl", "-e", "$0 = \"a\\nUid:\\t7\\t7\\n\"; print 'ready'; sleep 1000", "room for another title"));
            box.start(Run.of("perl", "-e", "$0 = '/sbin/sandglass-agent'; sleep 1000", "room for another title"));
            List<ProcessChange> found = Eventually.get(
                    () -> diff(null, box.id()).processes(),
                    all -> all.stream().map(ProcessChange::command).toList().containsAll(List.of("\u001b]0;title\u0007\n\uFFFD 1000", "a\nUid:\t7\t7\n"))
                            && all.stream().anyMatch(process -> process.command().startsWith("long -c sleep 1000; : xxx")));
            assertThat(found).allSatisfy(process -> {
                assertThat(process.uid()).isZero();
                assertThat(process.command()).hasSizeLessThanOrEqualTo(512);
            });
            box.start(Run.shell("for i in $(seq " + PROCESSES + "); do sleep 1000 & done; wait"));
            Diff many = Eventually.get(() -> diff(null, box.id()), diff -> count(diff.to()) >= PROCESSES + 5);
            assertThat(many.truncated()).isFalse();
            Snapshot snapshot = daemon.api().captureAll(box.id());
            long begun = System.nanoTime();
            Diff since = diff(snapshot.id(), box.id());
            System.out.printf("%d processes on %s: pause of a %s snapshot %.0f ms, diff %d ms%n", count(many.to()), runtime, snapshot.kind(), snapshot.pauseMs(),
                    (System.nanoTime() - begun) / 1_000_000);
            assertThat(count(since.from())).isEqualTo(snapshot.kind().equals("full") ? count(many.to()) : 0);
            assertThat(since.processes()).hasSize(snapshot.kind().equals("full") ? 0 : many.processes().size());
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    private static long count(DiffState state) {
        return Objects.requireNonNull(state.processes());
    }

    private static List<String> processes(Diff diff) {
        return diff.processes().stream().map(process -> process.change() + " " + process.command()).toList();
    }

    private static boolean isExpected(String change) {
        return change.contains("/workspace/") || change.contains("/etc/issue") || change.contains("/doc/dpkg/mine") || change.contains("/doc/dpkg/copyright");
    }

    private Diff diff(String query) {
        return daemon.caller().get("/v1/diff?" + query).as(Diff.class);
    }

    private Diff diff(@Nullable String from, String to) {
        return diff((from == null ? "" : "from=" + from + "&") + "to=" + to);
    }

    private static List<String> files(Diff diff) {
        return diff.files().stream().map(file -> file.change() + " " + file.path() + " " + file.fields()).toList();
    }

    private static FileChange change(Diff diff, String path) {
        return diff.files().stream().filter(file -> file.path().equals(path)).findFirst().orElseThrow();
    }

    private List<String> layers() throws IOException {
        return MountNamespace.inside(daemon.run(), "find " + daemon.data().resolve("pool") + " -maxdepth 2 -name '*layer.frozen-*'").lines().toList();
    }
}
