package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.MountedVolume;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.Volume;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Volumes of sandboxes that are captured, copied, put to rest and turned back; where processes are captured, what they have open in volumes goes on. */
@OnEveryRuntime
@Timeout(600)
class VolumeStateTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestVolumes volumes = new TestVolumes(daemon.caller());
    private final String runtime;

    VolumeStateTest(String runtime) {
        this.runtime = runtime;
    }

    @AfterEach
    void removeAll() throws IOException, InterruptedException {
        daemon.revive();
        daemon.api().names().forEach(name -> daemon.api().destroy(name));
        daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
        volumes.removeAll();
    }

    private SandboxRequest box() {
        return SandboxRequest.on(runtime).memoryMb(256);
    }

    /** A command that appends each line of its input to a file that it has open, and works in a directory of the volume. */
    private static Command appending(TestSandbox box) {
        Command writer = box.start(Run.shell("mkdir -p /data/dir; cd /data/dir; exec 9>>/data/log; echo ready; while read -r line; do echo $line >&9; pwd; done").withInput());
        Eventually.get(() -> box.said(writer), text -> text.contains("ready"));
        return writer;
    }

    private static void append(TestSandbox box, Command writer, String line) {
        box.input(box.command(writer.id()), line + "\n", false);
        Eventually.get(() -> box.output("cat /data/log"), text -> text.endsWith(line));
    }

    private Forked fork(String path, int count, @Nullable String volumesFrom) {
        return daemon.caller().post(path + "/fork", new ForkSandbox(count, null, null, null, null, null, null, null, null, volumesFrom)).as(Forked.class);
    }

    private TestSandbox found(Sandbox sandbox) {
        return new TestSandbox(daemon.caller(), sandbox);
    }

    @Test
    void processesGoOnWithWhatTheyHaveOpenInVolumes() {
        CapturedMemory.assumeOn(runtime);
        volumes.create("data", 64);
        try (TestSandbox box = daemon.api().create(box())) {
            volumes.attach(box, "data", "/data", null);
            Command writer = appending(box);
            append(box, writer, "one");
            Sandbox paused = box.pause(false);
            assertThat(paused.volumes()).hasSize(1);
            assertThat(refused(ErrorCode.CONFLICT, () -> volumes.detach(box, "data")).what()).contains("paused");
            refused(ErrorCode.CONFLICT, () -> volumes.delete("data"));
            box.resume(false);
            append(box, writer, "two");
            assertThat(box.output("cat /data/log")).isEqualTo("one\ntwo");

            Snapshot full = daemon.api().captureAll(box.id());
            assertThat(full.kind()).isEqualTo("full");
            assertThat(full.volumes()).extracting(MountedVolume::name).containsExactly("data");
            append(box, writer, "three");
            Sandbox turned = box.rewind(full.id());
            assertThat(turned.warnings()).anyMatch(warning -> warning.contains("data") && warning.contains("stayed"));
            append(box, writer, "four");
            assertThat(box.output("cat /data/log")).as("what was written meanwhile is left alone").isEqualTo("one\ntwo\nthree\nfour");

            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().create(box().from(full.id()))).what()).contains(box.name());
            try (TestSandbox other = daemon.api().create(box().from(full.id()).volumesFrom("fork"))) {
                assertThat(other.now().volumes()).singleElement().satisfies(each -> assertThat(each.name()).startsWith("data-"));
                append(other, writer, "mine");
                assertThat(other.output("cat /data/log")).endsWith("four\nmine");
                assertThat(box.output("cat /data/log")).endsWith("three\nfour");
            }
        }
    }

    @Test
    void copiesGoOnInCopiesOfTheVolumesOfOneMoment() {
        CapturedMemory.assumeOn(runtime);
        volumes.create("data", 64);
        try (TestSandbox box = daemon.api().create(box().volume("data", "/data", null))) {
            Command writer = appending(box);
            append(box, writer, "before");
            List<TestSandbox> copies = fork(box.path(), 2, null).sandboxes().stream().map(this::found).toList();
            append(box, writer, "source");
            for (TestSandbox copy : copies) {
                append(copy, writer, copy.name());
                assertThat(copy.output("cat /data/log; ls /data/dir")).isEqualTo("before\n" + copy.name());
                assertThat(copy.now().volumes()).extracting(MountedVolume::path).containsExactly("/data");
            }
            assertThat(box.output("cat /data/log")).isEqualTo("before\nsource");
            assertThat(volumes.all()).hasSize(3);
            assertThat(trees("volfork-*")).isEmpty();
            copies.forEach(TestSandbox::close);
            assertThat(volumes.all()).as("volumes stay").hasSize(3);

            refused(ErrorCode.CONFLICT, () -> fork(box.path(), 1, "none"));
            assertThat(daemon.api().names()).containsExactly(box.name());
        }
    }

    @Test
    void aSnapshotWithoutItsVolumesGoesOnIfNothingWasOpen() {
        CapturedMemory.assumeOn(runtime);
        volumes.create("data", 64);
        volumes.create("other", 64);
        try (TestSandbox box = daemon.api().create(box().volume("data", "/data", null))) {
            box.output("echo kept > /data/file");
            Command word = box.start(Run.shell("word=remembered; while read -r line; do echo $word $line; done").withInput());
            Snapshot full = daemon.api().captureAll(box.id());
            try (TestSandbox none = daemon.api().create(box().from(full.id()).volumesFrom("none"))) {
                none.input(none.command(word.id()), "on\n", false);
                Eventually.get(() -> none.said(word), text -> text.contains("remembered on"));
                assertThat(none.output("ls -A /data; grep -c ' /data ' /proc/mounts || true")).isEqualTo("0");
                none.output("echo own > /data/file");
            }
            try (TestSandbox other = daemon.api().create(box().from(full.id()).volume("other", "/data", null).volumesFrom("none"))) {
                assertThat(other.output("ls -A /data; echo here > /data/file; cat /data/file")).isEqualTo("here");
            }
            assertThat(box.output("cat /data/file")).isEqualTo("kept");
            daemon.api().destroy(box.id());
            volumes.delete("data");
            assertThat(refused(ErrorCode.VOLUME_NOT_FOUND, () -> daemon.api().create(box().from(full.id()))).hint()).contains("none");
        }
    }

    @Test
    void processesThatAreTurnedBackDoNotTakeAnotherVolumeForTheirs() {
        CapturedMemory.assumeOn(runtime);
        volumes.create("data", 64);
        volumes.create("other", 64);
        try (TestSandbox box = daemon.api().create(box().volume("data", "/data", null))) {
            Command writer = appending(box);
            append(box, writer, "one");
            Snapshot full = daemon.api().captureAll(box.id());
            box.input(box.command(writer.id()), "", true);
            Eventually.get(() -> box.command(writer.id()), command -> command.exit() != null);
            volumes.detach(box, "data");
            volumes.attach(box, "other", "/other", null);
            box.output("mkdir /other/dir; echo untouched > /other/log");
            assertThat(refused(ErrorCode.CONFLICT, () -> box.rewind(full.id())).hint()).contains("disk_only");
            box.resume(true);
            assertThat(box.output("cat /other/log")).isEqualTo("untouched");
        }
    }

    @Test
    void aFileThatIsDeletedAndOpenIsNamed() {
        CapturedMemory.assumeOn(runtime);
        volumes.create("data", 64);
        try (TestSandbox box = daemon.api().create(box().volume("data", "/data", null))) {
            box.start(Run.shell("exec 9>/data/gone; rm /data/gone; exec sleep 1000"));
            Eventually.get(() -> box.count("sleep 1000"), count -> count == 1);
            assertThat(refused(ErrorCode.SNAPSHOT_BLOCKED, () -> daemon.api().captureAll(box.id())).what()).contains("gone");
            assertThat(box.output("ls /data")).as("it goes on").isEmpty();
        }
    }

    @Test
    void aFileThatIsGoneFromAVolumeKeepsProcessesFromGoingOnAndIsSaid() {
        CapturedMemory.assumeOn(runtime);
        volumes.create("data", 64);
        try (TestSandbox box = daemon.api().create(box().volume("data", "/data", "shared"));
                TestSandbox other = daemon.api().create(box().volume("data", "/data", "shared"))) {
            appending(box);
            box.pause(false);
            other.output("rm -r /data/log /data/dir");
            assertThat(refused(ErrorCode.CONFLICT, () -> box.resume(false)).hint()).contains("disk_only");
            assertThat(box.now().state()).isEqualTo("paused");
            box.resume(true);
            assertThat(box.output("ls -A /data")).isEmpty();
        }
    }

    @Test
    void theDiskIsCopiedWithCopiesOfVolumesOrWithTheSameOnes() {
        volumes.create("data", 64);
        try (TestSandbox box = daemon.api().create(box().volume("data", "/data", null))) {
            box.output("echo one > /data/file");
            Snapshot disk = daemon.api().capture(box.id(), null);
            assertThat(disk.volumes()).extracting(MountedVolume::path).containsExactly("/data");
            refused(ErrorCode.CONFLICT, () -> daemon.api().create(box().from(disk.id()).diskOnly()));
            try (TestSandbox own = daemon.api().create(box().from(disk.id()).diskOnly().volumesFrom("fork"))) {
                assertThat(own.output("cat /data/file; echo two > /data/file")).isEqualTo("one");
            }
            ForkSandbox request = new ForkSandbox(1, null, null, null, null, null, null, true, null, null);
            try (TestSandbox copy = found(daemon.caller().post(box.path() + "/fork", request).as(Forked.class).sandboxes().getFirst())) {
                assertThat(copy.output("cat /data/file; echo three > /data/file")).isEqualTo("one");
            }
            assertThat(box.output("cat /data/file")).isEqualTo("one");
            daemon.api().destroy(box.id());
            try (TestSandbox same = daemon.api().create(box().from(disk.id()).diskOnly())) {
                assertThat(same.now().volumes()).extracting(MountedVolume::name).containsExactly("data");
                assertThat(same.output("cat /data/file")).isEqualTo("one");
            }
        }
        assertThat(volumes.all()).hasSize(3);
    }

    @Test
    void aForkThatFailsLeavesNoVolumes() {
        volumes.create("data", 64);
        try (TestSandbox box = daemon.api().create(box().volume("data", "/data", null));
                TestSandbox taken = daemon.api().create(box().name("twin-2"))) {
            ForkSandbox request = new ForkSandbox(2, "twin", null, null, null, null, null, true, null, null);
            refused(ErrorCode.NAME_TAKEN, () -> daemon.caller().post(box.path() + "/fork", request));
            assertThat(taken.now().state()).isEqualTo("running");
            Eventually.get(volumes::all, all -> all.size() == 1);
            assertThat(trees("volume-*")).hasSize(1);
            assertThat(trees("volfork-*")).isEmpty();
        }
    }

    @Test
    void aDaemonThatIsKilledLosesNothing() throws IOException, InterruptedException {
        Volume data = volumes.create("data", 64);
        try (TestSandbox box = daemon.api().create(box().volume("data", "/data", null))) {
            box.output("echo kept > /data/file");
            daemon.kill();
            daemon.revive();
            TestSandbox after = found(daemon.api().get(box.id()));
            assertThat(new TestVolumes(daemon.caller()).get("data")).satisfies(found -> assertThat(found.id()).isEqualTo(data.id()));
            assertThat(after.output("cat /data/file; echo more > /data/file")).isEqualTo("kept");
            new TestVolumes(daemon.caller()).detach(after, "data");
            assertThat(after.output("ls -A /data")).isEmpty();
            new TestVolumes(daemon.caller()).attach(after, "data", "/data", null);
            assertThat(after.output("cat /data/file")).isEqualTo("more");
            after.close();
        }
    }

    private List<String> trees(String name) {
        try {
            return Stream.of(MountNamespace.inside(daemon.run(), "find " + daemon.data().resolve("pool") + " -maxdepth 2 -name '" + name + "'").split("\n"))
                    .filter(line -> !line.isBlank())
                    .toList();
        } catch (IOException problem) {
            throw new AssertionError(problem);
        }
    }
}
