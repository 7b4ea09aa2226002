package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.MountedVolume;
import dev.sandglass.wire.Volume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The daemon dies while volumes are made, copied, given, taken away or deleted: none that somebody was told of is lost, and none is left that nobody knows. */
@OnEveryRuntime
@Timeout(300)
class VolumeFailpointTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestVolumes volumes = new TestVolumes(daemon.caller());
    private final String runtime;

    VolumeFailpointTest(String runtime) {
        this.runtime = runtime;
    }

    @AfterEach
    void disarm() throws IOException, InterruptedException {
        daemon.revive();
        daemon.api().names().forEach(name -> daemon.api().destroy(name));
        volumes.removeAll();
        assertThat(trees()).isEmpty();
    }

    private void dieAt(Failpoint step, Runnable operation) throws IOException, InterruptedException {
        daemon.mortalAt(step.name());
        assertThatThrownBy(operation::run).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
    }

    private TestSandbox holder() {
        return daemon.api().create(SandboxRequest.on(runtime).name("holder").memoryMb(256));
    }

    private TestSandbox found(String name) {
        return new TestSandbox(daemon.caller(), daemon.api().get(name));
    }

    @ParameterizedTest
    @EnumSource(value = Failpoint.class, names = {"VOLUME_RECORDED", "VOLUME_TREE", "VOLUME_READY"})
    void aVolumeIsThereWholeOrNotAtAll(Failpoint step) throws IOException, InterruptedException {
        dieAt(step, () -> volumes.create("new", 16));
        boolean there = step == Failpoint.VOLUME_READY;
        assertThat(volumes.all()).hasSize(there ? 1 : 0);
        assertThat(trees()).hasSize(there ? 1 : 0);
        if (!there) {
            volumes.create("new", 16);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Failpoint.class, names = {"VOLUME_DELETING", "VOLUME_REMOVED"})
    void whatIsBeingDeletedGoes(Failpoint step) throws IOException, InterruptedException {
        volumes.create("old", 16);
        volumes.create("other", 16);
        dieAt(step, () -> volumes.delete("old"));
        assertThat(volumes.all()).extracting(Volume::name).containsExactly("other");
        assertThat(trees()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(value = Failpoint.class, names = {"ATTACH_RECORDED", "ATTACH_DONE"})
    void whatIsGivenIsMountedByTheNextDaemon(Failpoint step) throws IOException, InterruptedException {
        volumes.create("data", 16);
        TestSandbox box = holder();
        dieAt(step, () -> volumes.attach(box, "data", "/data", null));
        TestSandbox after = found("holder");
        assertThat(after.now().volumes()).hasSize(1);
        assertThat(after.output("echo here > /data/file; cat /data/file; ls /data")).isEqualTo("here\nfile");
        volumes.detach(after, "data");
        assertThat(after.output("ls -A /data")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Failpoint.class, names = "ATTACH_RECORDED")
    void whatCannotBeMountedByTheNextDaemonIsTakenBackAndKeepsNoOther(Failpoint step) throws IOException, InterruptedException {
        volumes.create("data", 16);
        volumes.create("first", 16);
        volumes.create("second", 16);
        TestSandbox box = holder();
        volumes.attach(box, "first", "/first", null);
        volumes.attach(box, "second", "/second", null);
        volumes.detach(box, "first");
        box.output("echo in the way > /blocked");
        dieAt(step, () -> volumes.attach(box, "data", "/blocked", null)); // before the other, by its number
        TestSandbox after = found("holder");
        assertThat(after.now().volumes()).extracting(MountedVolume::name).containsExactly("second");
        assertThat(after.now().warnings()).anyMatch(warning -> warning.contains("data") && warning.contains("/blocked"));
        assertThat(after.output("cat /blocked; echo kept > /second/file; cat /second/file")).isEqualTo("in the way\nkept");
        volumes.attach(after, "data", "/data", null);
        assertThat(after.output("echo here > /data/file; cat /data/file")).isEqualTo("here");
    }

    @ParameterizedTest
    @EnumSource(value = Failpoint.class, names = "DETACH_DONE")
    void whatWasNotTakenAwayInTheLedgerIsMountedAgain(Failpoint step) throws IOException, InterruptedException {
        volumes.create("data", 16);
        TestSandbox box = holder();
        volumes.attach(box, "data", "/data", null);
        box.output("echo kept > /data/file");
        dieAt(step, () -> volumes.detach(box, "data"));
        TestSandbox after = found("holder");
        assertThat(after.now().volumes()).hasSize(1);
        assertThat(after.output("cat /data/file")).isEqualTo("kept");
    }

    @ParameterizedTest
    @EnumSource(value = Failpoint.class, names = {"CREATE_STARTED", "CREATE_ANSWERED", "FORK_MADE", "FORK_CONFIRMED"})
    void copiesOfVolumesAreThereWithTheirSandboxesOrNotAtAll(Failpoint step) throws IOException, InterruptedException {
        volumes.create("data", 16);
        TestSandbox box = holder();
        volumes.attach(box, "data", "/data", null);
        box.output("echo kept > /data/file");
        dieAt(step, () -> daemon.caller().post(box.path() + "/fork", new ForkSandbox(1, "copy", null, null, null, null, null, true)));
        boolean there = step == Failpoint.FORK_CONFIRMED;
        assertThat(daemon.api().names()).hasSize(there ? 2 : 1);
        assertThat(volumes.all()).hasSize(there ? 2 : 1);
        assertThat(trees()).hasSize(there ? 2 : 1);
        assertThat(found("holder").output("cat /data/file")).isEqualTo("kept");
        if (there) {
            assertThat(found("copy").output("cat /data/file")).isEqualTo("kept");
        }
    }

    private List<String> trees() throws IOException {
        return Stream.of(MountNamespace.inside(daemon.run(), "find " + daemon.data().resolve("pool") + " -maxdepth 2 -name 'vol*-*'").split("\n"))
                .filter(line -> !line.isBlank())
                .toList();
    }
}
