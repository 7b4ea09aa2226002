package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Diff;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.FileChange;
import dev.sandglass.wire.PackageChange;
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
