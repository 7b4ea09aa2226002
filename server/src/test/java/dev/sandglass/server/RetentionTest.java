package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Snapshots go when their time is over, and are refused when they take as much room as they may. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class RetentionTest {
    private static final String QUOTA = "SANDGLASS_SNAPSHOT_QUOTA_MB";

    private final TestDaemon daemon = SharedDaemon.daemon();

    @AfterEach
    void tidy() throws IOException, InterruptedException {
        daemon.stop();
        daemon.without(QUOTA).revive();
        daemon.api().list().forEach(box -> daemon.api().destroy(box.id()));
        daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
    }

    @Test
    void whatIsOverGoesByItselfAlsoAfterARestart() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            Snapshot lasting = capture(box, 3600);
            Snapshot unlimited = capture(box, 0);
            assertThat(lasting.expiresAt()).isBetween(lasting.createdAt().plusSeconds(3590), lasting.createdAt().plusSeconds(3610));
            assertThat(unlimited.expiresAt()).isNull();
            Snapshot first = capture(box, 1);
            Eventually.get(this::ids, ids -> !ids.contains(first.id()));
            Snapshot second = capture(box, 2);
            daemon.stop();
            daemon.start();
            Eventually.get(this::ids, ids -> !ids.contains(second.id()));
            assertThat(ids()).containsExactly(lasting.id(), unlimited.id());
            refused(ErrorCode.INVALID_REQUEST, () -> capture(box, -1));
        }
    }

    @Test
    void oneFromWhichASandboxGoesOnStaysUntilItHas() throws IOException, InterruptedException {
        daemon.failingAt(Failpoint.REWIND_RECORDED.name());
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("echo then > /workspace/file");
            Snapshot target = restingAt(box);
            box.output("echo now > /workspace/file");
            refused(ErrorCode.INTERNAL, () -> box.rewind(target.id()));
            assertThat(box.now().state()).isEqualTo("paused");
            Instant over = Objects.requireNonNull(target.expiresAt());
            Eventually.get(Instant::now, now -> now.isAfter(over.plusSeconds(1)));
            assertThat(ids()).contains(target.id());
            box.resume(true);
            assertThat(box.output("cat /workspace/file")).isEqualTo("then");
            Eventually.get(this::ids, ids -> !ids.contains(target.id()));
        }
    }

    /** One that is over soon, but not before the sandbox is at it: how long that takes here is found out. */
    private Snapshot restingAt(TestSandbox box) {
        long begun = System.nanoTime();
        daemon.api().deleteSnapshot(capture(box, 0).id());
        long seconds = (System.nanoTime() - begun) / 1_000_000_000 + 1;
        return capture(box, 4 + 4 * seconds);
    }

    @Test
    void theyAreRefusedBeforeTheyTakeMoreThanTheyMay() throws IOException, InterruptedException {
        daemon.stop();
        daemon.with(QUOTA, "40").start();
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("head -c 30000000 /dev/urandom > /workspace/one");
            Snapshot one = daemon.api().capture(box.id(), "one");
            Path file = exported("one");
            box.output("head -c 30000000 /dev/urandom > /workspace/two");
            SandglassException refusal = refused(ErrorCode.SNAPSHOT_QUOTA_REACHED, () -> daemon.api().capture(box.id(), "two"));
            assertThat(refusal.hint()).contains("one (");
            assertThat(box.output("stat -c %s /workspace/two")).as("the sandbox goes on").isEqualTo("30000000");
            SandglassException tooLarge = refused(ErrorCode.SNAPSHOT_QUOTA_REACHED, () -> read(file));
            assertThat(megabytes(tooLarge)).as(tooLarge.what()).isBetween(40.0, 70.0);
            assertThat(daemon.api().allSnapshots()).extracting(Snapshot::id).containsExactly(one.id());
            assertThat(MountNamespace.inside(daemon.run(), "find " + daemon.data().resolve("pool") + " -maxdepth 2 -name '*snap-*' ! -name '*" + one.id() + "'")).isEmpty();

            daemon.api().deleteSnapshot("one");
            refused(ErrorCode.SNAPSHOT_QUOTA_REACHED, () -> daemon.api().capture(box.id(), "two"));
            box.output("rm /workspace/one");
            assertThat(daemon.api().capture(box.id(), "two").totalBytes()).isBetween(30_000_000L, 40_000_000L);
            assertThat(daemon.api().capture(box.id(), "same").state()).as("what stores nothing has room").isEqualTo("ready");
            Files.delete(file);
        }
    }

    @Test
    void whatASnapshotStandsOnCountsWhereverItCameFrom() throws IOException, InterruptedException {
        daemon.stop();
        daemon.with(QUOTA, "50").start();
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("head -c 20000000 /dev/urandom > /workspace/one");
            daemon.api().capture(box.id(), "base");
        }
        try (TestSandbox copy = daemon.api().create(SandboxRequest.on("container").from("base"))) {
            copy.output("head -c 20000000 /dev/urandom > /workspace/two");
            daemon.api().capture(copy.id(), "top");
        }
        daemon.api().deleteSnapshot("base");
        try (TestSandbox other = daemon.api().create(SandboxRequest.on("container"))) {
            other.output("head -c 20000000 /dev/urandom > /workspace/three");
            SandglassException refusal = refused(ErrorCode.SNAPSHOT_QUOTA_REACHED, () -> daemon.api().capture(other.id(), "other"));
            assertThat(megabytes(refusal)).as(refusal.what()).isBetween(57.0, 59.0);
            assertThat(refusal.hint()).as("with what it stands on").contains("top (38.");

            Path file = exported("top");
            daemon.api().deleteSnapshot("top");
            read(file);
            Files.delete(file);
            SandglassException again = refused(ErrorCode.SNAPSHOT_QUOTA_REACHED, () -> daemon.api().capture(other.id(), "other"));
            assertThat(again.hint()).as("both layers of a file").contains("read (38.");
            daemon.api().deleteSnapshot("read");
            captureWhenThereIsRoom(other, "other");
        }
    }

    @Test
    void removingOneInTheMiddleCountsNothingTwice() throws IOException, InterruptedException {
        daemon.stop();
        daemon.with(QUOTA, "40").start();
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("head -c 25000000 /dev/urandom > /workspace/much");
            daemon.api().capture(box.id(), "first");
            box.output("head -c 1000000 /dev/urandom > /workspace/little");
            daemon.api().capture(box.id(), "second");
            box.output("head -c 1000000 /dev/urandom > /workspace/more");
            daemon.api().capture(box.id(), "third");
            daemon.api().deleteSnapshot("second");
            box.output("head -c 1000000 /dev/urandom > /workspace/most");
            assertThat(daemon.api().capture(box.id(), "fourth").state()).isEqualTo("ready");
            daemon.api().deleteSnapshot("first");
            box.output("head -c 15000000 /dev/urandom > /workspace/too-much");
            SandglassException refusal = refused(ErrorCode.SNAPSHOT_QUOTA_REACHED, () -> daemon.api().capture(box.id(), "fifth"));
            assertThat(megabytes(refusal)).as(refusal.what()).isBetween(40.0, 42.0);
        }
    }

    @Test
    void whatHasNoRoomIsRefusedBeforeTheSandboxStandsStill() throws IOException, InterruptedException {
        daemon.stop();
        daemon.with(QUOTA, "100").failingAt(Failpoint.SNAPSHOT_PAUSED.name()).start();
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(512));
                TestSandbox disk = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("head -c 200000000 /dev/urandom > /tmp/in-memory");
            disk.output("head -c 110000000 /dev/urandom > /workspace/file");
            SandglassException refusal = refused(ErrorCode.SNAPSHOT_QUOTA_REACHED, () -> daemon.api().captureAll(box.id()));
            assertThat(megabytes(refusal)).as(refusal.what()).isBetween(190.0, 512.0);
            refused(ErrorCode.SNAPSHOT_QUOTA_REACHED, () -> daemon.api().capture(disk.id(), "disk"));
            assertThat(daemon.api().allSnapshots()).isEmpty();
            refused(ErrorCode.INTERNAL, () -> box.pause(false)); // does not ask for room, and so comes to the failpoint
        }
    }

    @Test
    void aSandboxRestsWithItsProcessesWhenThereIsNoRoomForSnapshots() throws IOException, InterruptedException {
        daemon.stop();
        daemon.with(QUOTA, "1").start();
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).timeout(600).onTimeout("pause"))) {
            Command reading = box.start(Run.shell("word=remembered; read -r line; echo $word $line").withInput());
            refused(ErrorCode.SNAPSHOT_QUOTA_REACHED, () -> daemon.api().captureAll(box.id()));
            daemon.api().update(box.id(), Changes.none().timeout(1).toWire());
            Eventually.get(() -> box.now().state(), "paused"::equals);
            daemon.api().update(box.id(), Changes.none().timeout(600).toWire());
            box.resume(false);
            box.input(reading, "on\n", true);
            box.await(reading);
            assertThat(box.said(reading)).contains("remembered on");
            daemon.api().update(box.id(), Changes.none().ttl(1).toWire());
            Eventually.get(() -> box.now().state(), "paused"::equals);
        }
    }

    @Test
    void aFileForWhichThereWasNoRoomIsReadWhenThereIs() throws IOException, InterruptedException {
        daemon.stop();
        daemon.with(QUOTA, "40").start();
        Path late = daemon.data().resolve("snapshots/late.sgs");
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("head -c 30000000 /dev/urandom > /workspace/one");
            daemon.api().capture(box.id(), "one");
            Files.move(exported("one"), late);
            Eventually.get(() -> says(daemon.log(), "late.sgs is not read until there is more room"), seen -> seen);
            daemon.api().deleteSnapshot("one");
            Eventually.get(() -> daemon.api().snapshots().stream().map(Snapshot::name).toList(), List.of("late")::equals);
        } finally {
            Files.deleteIfExists(late);
        }
    }

    private static boolean says(Path log, String text) {
        try {
            return Files.readString(log).contains(text);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** Layers of a snapshot that was deleted go when their last user is gone, as one that still wrote them into a file. */
    private void captureWhenThereIsRoom(TestSandbox box, String name) {
        Eventually.get(
                () -> {
                    try {
                        return Optional.of(daemon.api().capture(box.id(), name));
                    } catch (SandglassException refusal) {
                        assertThat(refusal.code()).isEqualTo(ErrorCode.SNAPSHOT_QUOTA_REACHED);
                        return Optional.<Snapshot>empty();
                    }
                },
                Optional::isPresent);
    }

    /** What all would take, as a refusal says. */
    private static double megabytes(SandglassException refusal) {
        Matcher figure = Pattern.compile("would take ([0-9.]+) MB").matcher(refusal.what());
        assertThat(figure.find()).as(refusal.what()).isTrue();
        return Double.parseDouble(figure.group(1));
    }

    private Path exported(String snapshot) throws IOException {
        Path file = Files.createTempFile(daemon.data(), snapshot, ".sgs");
        try (InputStream content = daemon.caller().open("/v1/snapshots/" + snapshot + "/export?thin=true")) {
            Files.write(file, content.readAllBytes());
        }
        return file;
    }

    private Snapshot read(Path file) throws IOException {
        Caller caller = daemon.caller();
        return caller.good(caller.send("POST", "/v1/snapshots/import?name=read", "application/octet-stream", BodyPublishers.ofFile(file))).as(Snapshot.class);
    }

    private Snapshot capture(TestSandbox box, long expires) {
        CreateSnapshot request = new CreateSnapshot(null, null, null, true, expires);
        return daemon.caller().post("/v1/sandboxes/" + box.id() + "/snapshots", request).as(Snapshot.class);
    }

    private List<String> ids() {
        return daemon.api().snapshots().stream().map(Snapshot::id).toList();
    }
}
