package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sandbox's disk is captured as it is, others begin with it, and none of them sees the others' writes. */
@OnEveryRuntime
@Timeout(300)
class SnapshotTest {
    /** Writes through memory what it is asked to, and says when it has. */
    private static final String MAPPED =
            """
            import mmap, os, time
            file = open('/workspace/mapped', 'w+b')
            file.truncate(4096)
            memory = mmap.mmap(file.fileno(), 4096)
            memory[0:3] = b'000'
            last = '0'
            while True:
                try:
                    asked = open('/dev/shm/ask').read().strip()
                except FileNotFoundError:
                    asked = '0'
                if asked != last and asked:
                    memory[0:3] = b'%03d' % int(asked)
                    last = asked
                with open('/dev/shm/new', 'w') as answer:
                    answer.write(last)
                os.rename('/dev/shm/new', '/dev/shm/done')
                time.sleep(0.01)
            """;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    SnapshotTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void copiesBeginWithWhatWasThereAndGoTheirOwnWays() throws IOException {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime))) {
            source.output("""
                    set -e
                    mkdir -p /workspace/deep; echo one > /workspace/deep/file; ln /workspace/deep/file /workspace/hard; ln -s deep/file /workspace/link
                    printf 'x%.0s' $(seq 5000) > /workspace/large; chown user:user /workspace/large; chmod 4711 /workspace/large
                    rm -r /usr/share/doc; mkdir /usr/share/doc; echo new > /usr/share/doc/only
                    touch -d 2001-02-03T04:05:06 /workspace/deep; touch "$(printf '/workspace/odd\\nname\\377')"
                    chmod 0751 /; chmod 0705 /etc""");
            Command counting = source.start(Run.shell("while :; do echo $((n=n+1)) > /workspace/n; done"));
            String tree = tree(source);
            Snapshot snapshot = daemon.api().capture(source.id(), "golden-" + runtime);
            assertThat(source.command(counting.id()).state()).as("it goes on").isEqualTo("running");
            assertThat(snapshot.state()).isEqualTo("ready");
            assertThat(snapshot.kind()).isEqualTo("disk");
            assertThat(snapshot.pauseMs()).isPositive();
            assertThat(snapshot.totalBytes()).isGreaterThan(5000);
            assertThat(snapshot.sandboxId()).isEqualTo(source.id());
            assertThat(snapshot.parent()).isNull();
            try (TestSandbox first = from(snapshot.id()); TestSandbox second = from("golden-" + runtime)) {
                assertThat(tree(first)).isEqualTo(tree);
                assertThat(first.output("cat /usr/share/doc/only; ls /usr/share/doc; stat -c %a / /etc; hostname"))
                        .isEqualTo("new\nonly\n751\n705\n" + first.name());
                assertThat(first.info().snapshot()).isEqualTo(snapshot.id());
                first.output("echo mine > /workspace/deep/file; rm /workspace/large");
                assertThat(second.output("cat /workspace/hard; stat -c '%a %U' /workspace/large")).isEqualTo("one\n4711 user");
                assertThat(source.output("cat /workspace/deep/file")).isEqualTo("one");
                assertThat(first.output("cat /etc/machine-id")).isNotEqualTo(second.output("cat /etc/machine-id"));
                assertThat(first.stop().state()).isEqualTo("stopped");
                first.powerOn();
                assertThat(first.output("cat /workspace/deep/file")).isEqualTo("mine");
            } finally {
                daemon.api().deleteSnapshot(snapshot.id());
            }
        }
    }

    @Test
    void aSnapshotOutlivesItsSandboxAndItsNameIsFreeAtOnce() throws IOException {
        TestSandbox source = daemon.api().create(SandboxRequest.on(runtime));
        source.output("echo one > /workspace/file");
        Snapshot one = daemon.api().capture(source.id(), "version");
        source.output("echo two > /workspace/file");
        source.close();
        try (TestSandbox running = from("version")) {
            refused(ErrorCode.NAME_TAKEN, () -> daemon.api().capture(running.id(), "version"));
            daemon.api().deleteSnapshot(one.id());
            daemon.api().deleteSnapshot(one.id());
            refused(ErrorCode.SNAPSHOT_NOT_FOUND, () -> from("version"));
            running.output("echo three > /workspace/file");
            Snapshot three = daemon.api().capture(running.id(), "version");
            assertThat(three.parent()).isEqualTo(one.id());
            try (TestSandbox again = from("version")) {
                assertThat(again.output("cat /workspace/file")).isEqualTo("three");
                assertThat(running.output("ls /usr/bin | wc -l")).isEqualTo(again.output("ls /usr/bin | wc -l"));
            }
            daemon.api().deleteSnapshot(three.id());
        }
        assertThat(layers()).as("their space comes back").noneMatch(name -> name.contains(one.id()));
    }

    @Test
    void oneOfAnotherAndSoOnHasWhatAllHad() {
        List<Snapshot> taken = new ArrayList<>();
        String ref = null;
        for (int depth = 0; depth < 5; depth++) {
            SandboxRequest request = SandboxRequest.on(runtime);
            try (TestSandbox box = daemon.api().create(ref == null ? request : request.from(ref))) {
                box.output("echo " + depth + " >> /workspace/log; touch /workspace/at-" + depth + "; rm -f /workspace/at-" + (depth - 2));
                taken.add(daemon.api().capture(box.id(), null));
                ref = taken.getLast().id();
            }
        }
        try (TestSandbox last = from(taken.getLast().id())) {
            assertThat(last.output("cat /workspace/log; ls /workspace")).isEqualTo("0\n1\n2\n3\n4\nat-3\nat-4\nlog");
        }
        taken.subList(0, 4).forEach(old -> daemon.api().deleteSnapshot(old.id()));
        try (TestSandbox last = from(taken.getLast().id())) {
            assertThat(last.output("wc -l < /workspace/log")).isEqualTo("5");
        }
        daemon.api().deleteSnapshot(taken.getLast().id());
    }

    @Test
    void sizesAreOfWhatCameWithItAndOfAllThatItStandsOn() {
        List<Snapshot> taken = new ArrayList<>();
        String from = null;
        for (int megabytes = 1; megabytes <= 3; megabytes++) {
            SandboxRequest request = SandboxRequest.on(runtime);
            try (TestSandbox box = daemon.api().create(from == null ? request : request.from(from))) {
                box.output("head -c " + megabytes + "M /dev/urandom > /workspace/" + megabytes);
                taken.add(daemon.api().capture(box.id(), null));
                from = taken.getLast().id();
                if (megabytes == 3) {
                    box.output("head -c 4M /dev/urandom > /workspace/4");
                    taken.add(daemon.api().capture(box.id(), null));
                }
            }
        }
        assertThat(taken).extracting(snapshot -> snapshot.ownBytes() >> 20).containsExactly(1L, 2L, 3L, 4L);
        assertThat(taken).extracting(snapshot -> snapshot.totalBytes() >> 20).containsExactly(1L, 3L, 6L, 10L);
        assertThat(taken).extracting(Snapshot::memoryBytes).containsOnly(0L);
        assertThat(daemon.api().verify(taken.getLast().id()).totalBytes()).isEqualTo(taken.getLast().totalBytes());
        taken.forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
    }

    @Test
    void filesOfEveryKindComeThrough() {
        String list = "cd /workspace/kinds && find . -mindepth 1 \\( -type f -o -type l \\) -printf '%y %m %U %s %l %p\\0' -o -printf '%y %m %U %p\\0'"
                + " | sort -z | base64 -w0";
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            source.output("""
                    set -e; mkdir /workspace/kinds; cd /workspace/kinds
                    echo one > file; ln file hard; mkdir sub; ln file sub/hard; ln -s nowhere dangling; chown -h user:user dangling
                    touch "$(printf 'new\\nline')" "$(printf 'broken-\\377\\376')" "$(printf '%0255d' 0)" ' lead and trail ' .wh.file ...
                    : > empty; chmod 0 empty; mkdir -m 1777 sticky; truncate -s 100M hole""");
            String ordinary = source.output(list);
            source.output("cd /workspace/kinds; mkfifo -m 640 pipe; perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un(\"socket\")) or die'");
            String all = source.output(list);
            Snapshot disk = daemon.api().capture(source.id(), null);
            Snapshot whole = daemon.api().captureAll(source.id());
            assertThat(source.output(list)).isEqualTo(all);
            try (TestSandbox copy = from(disk.id()); TestSandbox same = from(whole.id())) {
                // gVisor has pipes and sockets in its memory, and nowhere else.
                assertThat(copy.output(list)).isEqualTo(runtime.equals("gvisor") ? ordinary : all);
                assertThat(same.output(list)).isEqualTo(all);
                assertThat(copy.output("cd /workspace/kinds; stat -c '%i %h' file hard sub/hard | uniq | cut -d' ' -f2")).isEqualTo("3");
            } finally {
                daemon.api().deleteSnapshot(disk.id());
                daemon.api().deleteSnapshot(whole.id());
            }
        }
    }

    @Test
    void whenNothingChangedNothingIsStored() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime))) {
            box.output("head -c 3000000 /dev/urandom > /workspace/data");
            Snapshot first = daemon.api().capture(box.id(), null);
            box.stop();
            Snapshot second = daemon.api().capture(box.id(), null);
            Snapshot third = daemon.api().capture(box.id(), null);
            assertThat(third.ownBytes()).isZero();
            assertThat(third.totalBytes()).isEqualTo(second.totalBytes());
            assertThat(third.parent()).isEqualTo(second.id());
            daemon.api().deleteSnapshot(first.id());
            daemon.api().deleteSnapshot(second.id());
            try (TestSandbox copy = from(third.id())) {
                assertThat(copy.output("stat -c %s /workspace/data")).isEqualTo("3000000");
            }
            daemon.api().deleteSnapshot(third.id());
        }
    }

    @Test
    void whatWasWrittenRightBeforeIsInIt() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime))) {
            box.start(Run.of("python3", "-B", "-c", MAPPED));
            box.output("until [ -e /dev/shm/done ]; do sleep 0.05; done; printf 000 > /workspace/plain");
            List<Snapshot> taken = new ArrayList<>();
            for (int round = 1; round <= 6; round++) {
                boolean plain = round % 2 == 0;
                box.output(plain
                        ? "printf %03d " + round + " 1<> /workspace/plain"
                        : "echo " + round + " > /dev/shm/ask; until [ \"$(cat /dev/shm/done)\" = " + round + " ]; do :; done");
                taken.add(daemon.api().capture(box.id(), null));
                Snapshot again = daemon.api().capture(box.id(), null);
                assertThat(again.ownBytes()).isZero();
                assertThat(again.pauseMs()).as("it did not stand still").isZero();
                taken.add(again);
            }
            for (int i = 0; i < taken.size(); i++) {
                int round = i / 2 + 1;
                try (TestSandbox copy = from(taken.get(i).id())) {
                    assertThat(copy.output("cat /workspace/plain; head -c 3 /workspace/mapped"))
                            .isEqualTo("%03d%03d".formatted(round / 2 * 2, (round + 1) / 2 * 2 - 1));
                }
                daemon.api().deleteSnapshot(taken.get(i).id());
            }
        }
    }

    @Test
    void manyBeginAtOnce() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime))) {
            source.output("echo shared > /workspace/file");
            Snapshot snapshot = daemon.api().capture(source.id(), null);
            List<TestSandbox> copies = AtOnce.all(IntStream.range(0, 6).<Callable<TestSandbox>>mapToObj(i -> () -> from(snapshot.id())).toList());
            copies.forEach(copy -> assertThat(copy.output("cat /workspace/file")).isEqualTo("shared"));
            copies.forEach(TestSandbox::close);
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    @Test
    void aDamagedOneIsRefusedBeforeAnythingHappens() throws IOException, InterruptedException {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime))) {
            source.output("echo 'what is written' > /workspace/file");
            Snapshot snapshot = daemon.api().capture(source.id(), null);
            daemon.api().verify(snapshot.id());
            String layer = MountNamespace.inside(daemon.run(), "ls -d " + daemon.data().resolve("pool") + "/*" + snapshot.id() + "*").strip();
            MountNamespace.inside(daemon.run(), "btrfs property set " + layer + " ro false && printf W | dd of=" + layer
                    + "/upper/workspace/file bs=1 conv=notrunc status=none && btrfs property set " + layer + " ro true && sync -f " + layer);
            refused(ErrorCode.SNAPSHOT_DAMAGED, () -> daemon.caller().open("/v1/snapshots/" + snapshot.id() + "/export?thin=true"));
            assertThat(refused(ErrorCode.SNAPSHOT_DAMAGED, () -> daemon.api().verify(snapshot.id())).what()).contains("workspace/file");
            refused(ErrorCode.SNAPSHOT_DAMAGED, () -> from(snapshot.id()));
            refused(ErrorCode.SNAPSHOT_DAMAGED, () -> daemon.caller().get("/v1/diff?from=" + snapshot.id() + "&to=" + source.id()));
            assertThat(state(snapshot)).isEqualTo("damaged");
            daemon.kill();
            daemon.start();
            assertThat(state(snapshot)).as("what the next daemon shows").isEqualTo("damaged");
            refused(ErrorCode.SNAPSHOT_DAMAGED, () -> from(snapshot.id()));
            refused(ErrorCode.SNAPSHOT_DAMAGED, () -> daemon.caller().open("/v1/snapshots/" + snapshot.id() + "/export?thin=true"));
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    @Test
    void aListHasPages() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime))) {
            List<Snapshot> taken = IntStream.range(0, 3).mapToObj(i -> daemon.api().capture(box.id(), null)).toList();
            List<String> seen = new ArrayList<>();
            String cursor = null;
            do {
                String query = "/v1/snapshots?limit=2" + (cursor == null ? "" : "&cursor=" + cursor);
                SnapshotList page = daemon.caller().get(query).as(SnapshotList.class);
                page.snapshots().forEach(snapshot -> seen.add(snapshot.id()));
                cursor = page.nextCursor();
            } while (cursor != null);
            assertThat(seen).containsSubsequence(taken.stream().map(Snapshot::id).toList()).doesNotHaveDuplicates();
            Snapshot named = daemon.api().capture(box.id(), "wanted-" + runtime);
            assertThat(listed("name=wanted-" + runtime)).containsExactly(named.id());
            assertThat(listed("name=anted")).isEmpty();
            assertThat(listed("label=test=snapshots&state=ready&limit=1000")).contains(named.id());
            assertThat(listed("label=test=others")).isEmpty();
            assertThat(listed("state=damaged&name=wanted")).isEmpty();
            assertThat(listed("name=wanted&runtime=" + (runtime.equals("gvisor") ? "container" : "gvisor"))).isEmpty();
            daemon.api().deleteSnapshot(named.id());
            taken.forEach(old -> daemon.api().deleteSnapshot(old.id()));
        }
    }

    private List<String> listed(String filter) {
        return daemon.caller().get("/v1/snapshots?" + filter).as(SnapshotList.class).snapshots().stream().map(Snapshot::id).toList();
    }

    private String state(Snapshot snapshot) {
        return daemon.caller().get("/v1/snapshots/" + snapshot.id()).as(Snapshot.class).state();
    }

    private TestSandbox from(String snapshot) {
        return daemon.api().create(SandboxRequest.on(runtime).from(snapshot));
    }

    private List<String> layers() throws IOException {
        return MountNamespace.inside(daemon.run(), "find " + daemon.data().resolve("pool") + " -maxdepth 2 -name '*snap-*'").lines().toList();
    }

    /** Every file that a snapshot must keep, but the one that changes all the time, with all that is known of it. */
    private static String tree(TestSandbox box) {
        return box.output("cd /workspace && (find . ! -type d ! -name n -printf '%p %y %m %u %g %n %s %l\\n'; find . -mindepth 1 -type d -printf '%p %m %u %g\\n') | sort; stat -c %Y deep; md5sum hard large");
    }
}
