package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sample;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxStats;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Limits, name and labels of a sandbox change while it runs, and hold. */
@OnEveryRuntime
class UpdateTest {
    private static final String EAT = "x = bytearray(%d << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nprint('eaten', flush=True)\nimport time\ntime.sleep(%d)";

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final Api api = daemon.api();
    private final String runtime;

    UpdateTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void moreMemoryHelpsAtOnceAndLessIsHeldAtOnce() throws IOException {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).memoryMb(256))) {
            assertThat(box.run(Run.python(EAT.formatted(400, 0))).exit().code()).isIn(137, 1);
            assertThat(api.update(box.id(), Changes.none().memoryMb(768).toWire()).memoryMb()).isEqualTo(768);
            assertThat(box.output(Run.python(EAT.formatted(400, 0)))).isEqualTo("eaten");
            // The memory of what has just ended comes back a moment later.
            Eventually.get(() -> refusal(box, Changes.none().memoryMb(256)), String::isEmpty);
            assertThat(box.run(Run.python(EAT.formatted(400, 0))).exit().code()).isIn(137, 1);
            assertThat(box.now().state()).isEqualTo("running");
        }
    }

    /** What was captured and replaced is charged to the sandbox still, above what it may have. */
    @Test
    void oneThatWasCapturedIsChangedThoughItIsChargedForMoreThanItMayHave() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).diskMb(64))) {
            box.output("head -c 40M /dev/urandom > /workspace/large; sync");
            String snapshot = api.capture(box.id(), null).id();
            box.output("head -c 40M /dev/urandom > /workspace/large; sync");
            Eventually.get(
                    () -> Objects.requireNonNull(api.caller().get(box.path() + "/stats").as(SandboxStats.class).now().diskBytes()),
                    bytes -> bytes > 64 << 20);
            assertThat(api.update(box.id(), Changes.none().name("charged-for-more").toWire()).name()).isEqualTo("charged-for-more");
            api.deleteSnapshot(snapshot);
        }
    }

    @Test
    void lessMemoryThanIsInUseIsRefusedAndNothingIsHarmed() throws IOException {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).memoryMb(768))) {
            Command eater = box.start(Run.python(EAT.formatted(400, 600)));
            Eventually.get(() -> Following.text(box.kept(eater), "stdout"), "eaten\n"::equals);
            HostLimits before = HostLimits.of(daemon, box.id());
            assertThat(refused(ErrorCode.CONFLICT, () -> api.update(box.id(), Changes.none().memoryMb(128).toWire())).what())
                    .contains("memory_mb: 128");
            assertThat(box.now().memoryMb()).isEqualTo(768);
            assertThat(HostLimits.of(daemon, box.id())).isEqualTo(before);
            assertThat(box.command(eater.id()).state()).isEqualTo("running");
        }
    }

    @Test
    void whatItWarnsOfStaysUntilThatIsDecidedAnew() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime)); TestSandbox pausing = api.create(SandboxRequest.on(runtime).timeout(3000).onTimeout("pause"))) {
            List<String> ofPauses = api.update(box.id(), Changes.none().timeout(3000).onTimeout("pause").toWire()).warnings();
            assertThat(ofPauses).isEqualTo(pausing.info().warnings());
            assertThat(api.update(box.id(), Changes.none().cpus(1000).toWire()).warnings())
                    .containsAll(ofPauses)
                    .hasSize(ofPauses.size() + 1)
                    .anyMatch(warning -> warning.startsWith("cpus: 1000 "));
            assertThat(api.update(box.id(), Changes.none().onTimeout("kill").toWire()).warnings()).hasSize(1);
            assertThat(api.update(box.id(), Changes.none().cpus(1).toWire()).warnings()).isEmpty();
        }
    }

    @Test
    void moreAndFewerProcessesHold() {
        String count = """
                import os, sys, time
                made = 0
                try:
                    while made < 90:
                        if os.fork() == 0: time.sleep(600)
                        made += 1
                except OSError: pass
                print('many' if made > 60 else 'few'); sys.stdout.flush()
                os.killpg(0, 9)
                """;
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).processes(32))) {
            assertThat(box.run(Run.python(count)).stdout()).isEqualTo("few\n");
            api.update(box.id(), Changes.none().processes(128).toWire());
            assertThat(box.run(Run.python(count)).stdout()).isEqualTo("many\n");
            api.update(box.id(), Changes.none().processes(32).toWire());
            assertThat(runWhenTheOthersAreGone(box, count)).isEqualTo("few\n");
        }
    }

    /** Those that were killed count until they are gone. */
    private static String runWhenTheOthersAreGone(TestSandbox box, String program) {
        return Eventually.get(
                () -> {
                    try {
                        return box.run(Run.python(program)).stdout();
                    } catch (SandglassException refusal) {
                        assertThat(refusal.what()).contains("process limit");
                        return "";
                    }
                },
                said -> !said.isEmpty());
    }

    @Test
    void theDiskGrowsAndShrinksDownToWhatIsOnIt() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).diskMb(32))) {
            String write = "dd if=/dev/urandom of=/workspace/big bs=1M count=48 && sync";
            assertThat(box.run(Run.shell(write)).exit().code()).isNotZero();
            api.update(box.id(), Changes.none().diskMb(128).toWire());
            box.output(write);
            // What was written is counted a moment later; until then less is allowed, and taken back.
            Eventually.get(
                    () -> {
                        String why = refusal(box, Changes.none().diskMb(32));
                        api.update(box.id(), Changes.none().diskMb(128).toWire());
                        return why;
                    },
                    text -> text.contains("disk_mb: 32"));
            api.update(box.id(), Changes.none().diskMb(100).toWire());
            assertThat(box.now().diskMb()).isEqualTo(100);
        }
    }

    private String refusal(TestSandbox box, Changes changes) {
        try {
            api.update(box.id(), changes.toWire());
            return "";
        } catch (SandglassException refused) {
            return refused.what();
        }
    }

    /** Of a machine that has others to serve, more must only be more, and what is not allowed is never had. */
    @Test
    void moreAndFewerProcessorsHold() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).cpus(0.1))) {
            box.start(Run.python("while True: pass"));
            box.start(Run.python("while True: pass"));
            double little = share(box);
            assertThat(little).as("processors of 0.1").isBetween(0.001, 0.2);
            api.update(box.id(), Changes.none().cpus(2).toWire());
            double much = Eventually.get(() -> share(box), share -> share > 2 * little);
            api.update(box.id(), Changes.none().cpus(0.1).toWire());
            Eventually.get(() -> share(box), share -> share < 0.2 && share < 0.75 * much);
        }
    }

    /** Processor time in each second, over one that is long enough for many turns of the limit's period. */
    private double share(TestSandbox box) {
        Sample first = sample(box);
        Sample last = Eventually.get(() -> sample(box), sample -> Duration.between(first.at(), sample.at()).toMillis() >= 1500);
        return (double) (last.cpuMs() - first.cpuMs()) / Duration.between(first.at(), last.at()).toMillis();
    }

    private Sample sample(TestSandbox box) {
        return api.caller().get(box.path() + "/stats").as(SandboxStats.class).now();
    }

    @Test
    void nameAndLabelsChange() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).labels(Map.of("a", "1", "b", "2"))); TestSandbox other = api.create(SandboxRequest.on(runtime))) {
            BodyPublisher change = BodyPublishers.ofString("{\"name\":\"renamed\",\"labels\":{\"a\":null,\"b\":\"3\",\"c\":\"4\"}}");
            Sandbox changed = box.caller().good(box.caller().send("PATCH", box.path(), "application/json", change)).as(Sandbox.class);
            assertThat(changed.labels()).isEqualTo(Map.of("b", "3", "c", "4"));
            assertThat(api.get("renamed")).isEqualTo(changed);
            assertThat(box.output("cat /run/sandglass/name; hostname")).isEqualTo("renamed\nrenamed");
            refused(ErrorCode.NAME_TAKEN, () -> api.update(other.id(), Changes.none().name("renamed").toWire()));
            refused(ErrorCode.INVALID_REQUEST, () -> api.update(other.id(), Changes.none().name("sbx-aaaaaaaaaaaa").toWire()));
        }
    }

    @Test
    void aStoppedOneStartsWithItsNewLimits() throws IOException {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).memoryMb(128))) {
            box.stop();
            api.update(box.id(), Changes.none().memoryMb(512).cpus(0.5).name("grown").toWire());
            Sandbox started = box.powerOn();
            assertThat(started.memoryMb()).isEqualTo(512);
            assertThat(started.cpus()).isEqualTo(0.5);
            assertThat(HostLimits.of(daemon, box.id()).memoryBytes()).isGreaterThanOrEqualTo(512L << 20);
            assertThat(box.output("hostname")).isEqualTo("grown");
        }
    }

    @Test
    void itsEndIsNoticedAfterAChange() throws IOException {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime))) {
            api.update(box.id(), Changes.none().cpus(1).toWire());
            Processes.kill(Objects.requireNonNull(box.now().pid()));
            Eventually.get(() -> box.now().state(), "failed"::equals);
        }
    }
}
