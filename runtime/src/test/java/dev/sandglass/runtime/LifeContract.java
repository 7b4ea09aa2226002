package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.guest.GuestStream;
import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.Overlay;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A sandbox's life on every engine: it starts, answers, outlives its caller, and goes without a trace. */
abstract class LifeContract extends RuntimeFixture {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    LifeContract(Engine engine) throws IOException {
        super(engine);
    }

    @Test
    void startsAndAnswers() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        assertThat(guest.sh("hostname; id -u; cat /run/sandglass/id; cat /etc/os-release | head -c 6"))
                .isEqualTo(machine.hostname() + "\n0\n" + machine.id() + "PRETTY");
        assertThat(runtime.present()).contains(machine.id());
        assertThat(runtime.life(guest.process())).isEqualTo(Life.ALIVE);
        assertThat(runtime.usage(machine.id()).memoryBytes()).isPositive();
        assertThat(runtime.usage(machine.id()).cpuMicros()).isPositive();
        assertThat(runtime.usage(machine.id()).processes()).isPositive();
    }

    @Test
    void outlivesTheDaemonsSideOfTheStreams() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        GuestStream running = guest.start("root", "sh", "-c", "while sleep 0.1; do echo tick; done").stream();
        guest.link().close();

        Guest again = Guest.greet(runtime, machine, guest.process());

        assertThat(again.link().commands().find(running.number())).isPresent();
        assertThat(again.sh("echo still here")).isEqualTo("still here");
    }

    @Test
    void closingTheStreamsWakesABlockedReader() throws Exception {
        Machine machine = workshop.machine();
        runtime.start(machine);
        GuestChannel channel = runtime.connect(machine.id());
        CompletableFuture<Boolean> woken = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                channel.fromGuest().read(ByteBuffer.allocate(1));
            } catch (IOException _) {
                woken.complete(true);
            }
        });
        await().atMost(PATIENCE).until(() -> isInTheKernel(reader));
        assertThat(woken).isNotDone();
        channel.close();
        assertThat(woken.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private static boolean isInTheKernel(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0 && stack[0].isNativeMethod();
    }

    @Test
    void destroyTakesDownWhatAStartLeftHalfway() throws Exception {
        Machine machine = workshop.machine();
        Path directory = run.path().resolve("sandboxes").resolve(machine.id().text());
        Path mounts = directory.resolve("mounts");
        Path root = Files.createDirectories(mounts.resolve("root"));
        Mounts.bind(mounts, mounts);
        new Overlay(machine.layers(), machine.writable().resolve("upper"), machine.writable().resolve("work"))
                .mount(root, Set.of());
        Cgroup group = group(machine);
        group.make();
        List<String> command = new ArrayList<>(List.of("sh", "-c", "for i; do echo 0 > $i; done; cd " + root + "; sleep 60", "sh"));
        group.places().forEach(place -> command.add(place.entrance().toString()));
        Process engine = new ProcessBuilder(command).start();
        Files.createDirectories(run.state("crun").resolve(machine.id().text()).resolve("inner"));
        Files.writeString(
                Files.createDirectories(run.state("runsc")).resolve(machine.id() + "_sandbox:" + machine.id() + ".state"), "{}");
        Path there = Path.of("/proc", Long.toString(engine.pid()), "cwd");
        await().atMost(PATIENCE).until(() -> Files.readSymbolicLink(there).equals(root)); // it has entered the groups, too
        assertThat(runtime.present()).contains(machine.id());

        runtime.destroy(machine.id());

        assertThat(engine.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(Leftovers.of(run, cgroups)).isEmpty();
    }

    @Test
    void loopbackIsUpAndTheOnlyInterface() throws Exception {
        Guest guest = workshop.start(workshop.machine());
        String script =
                """
                import socket
                s = socket.create_server(('127.0.0.1', 0))
                c = socket.create_connection(s.getsockname(), 5)
                print('connected', [name for _, name in socket.if_nameindex()])
                """;
        assertThat(guest.run("root", "python3", "-c", script).output()).isEqualTo("connected ['lo']\n");
    }

    @Test
    void writesLandInTheWritableTreeWithTheIdsSeenInside() throws Exception {
        Machine machine = workshop.machine();
        Path base = machine.layers().getLast();
        Guest guest = workshop.start(machine);
        assertThat(guest.sh("touch /opt/x && chown 1000:1000 /opt/x && rm /etc/issue && stat -c '%u:%g' /opt/x /etc/passwd"))
                .isEqualTo("1000:1000\n0:0");
        Path written = machine.writable().resolve("upper/opt/x");
        assertThat(Files.getAttribute(written, "unix:uid")).isEqualTo(1000);
        assertThat(Files.getAttribute(machine.writable().resolve("upper/opt"), "unix:uid")).isEqualTo(0);
        assertThat(Files.readAttributes(machine.writable().resolve("upper/etc/issue"), "isOther", LinkOption.NOFOLLOW_LINKS))
                .as("a whiteout").containsEntry("isOther", true);
        assertThat(base.resolve("etc/issue")).exists();
        assertThat(base.resolve("opt/x")).doesNotExist();
    }

    @Test
    void goesOnTheSameDiskAfterAnEnd() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        guest.sh("echo kept > /opt/file; sync");
        runtime.destroy(machine.id());
        assertThat(workshop.start(machine).sh("cat /opt/file")).isEqualTo("kept");
    }

    @Test
    void tellsOfTheEndOfPidOne() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        runtime.watch(guest.process(), () -> ended.complete(true));
        assertThat(ended).isNotDone();

        ProcessHandle.of(guest.process().pid()).orElseThrow().destroyForcibly();

        assertThat(ended.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(runtime.life(guest.process())).isEqualTo(Life.ENDED);
        runtime.destroy(machine.id());
        assertThat(Leftovers.of(run, cgroups)).isEmpty();
        CompletableFuture<Boolean> late = new CompletableFuture<>();
        runtime.watch(guest.process(), () -> late.complete(true));
        assertThat(late.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void takesARecycledPidOrAnEarlierBootForWhatTheyAre() {
        long self = ProcessHandle.current().pid();
        String boot = "another boot";
        assertThat(runtime.life(new MachineProcess(self, 1, boot))).isEqualTo(Life.BEFORE_REBOOT);
        assertThat(runtime.life(new MachineProcess(self, 1, bootId()))).isEqualTo(Life.ENDED);
    }

    @Test
    void destroyIsFineTwiceAndForASandboxThatNeverWas() throws Exception {
        Machine machine = workshop.machine();
        workshop.start(machine);
        runtime.destroy(machine.id());
        runtime.destroy(machine.id());
        runtime.destroy(SandboxId.random());
        assertThat(runtime.present()).isEmpty();
        assertThat(runtime.usage(machine.id()).memoryBytes()).isZero();
        assertThatThrownBy(() -> runtime.connect(machine.id()))
                .isInstanceOfSatisfying(SandglassException.class, problem ->
                        assertThat(problem.code()).isEqualTo(ErrorCode.SANDBOX_NOT_RUNNING));
    }

    @Test
    void oneThatGoesForGoodLeavesNothingEither() throws Exception {
        long before = rootsHeld();
        for (int i = 0; i < 3; i++) {
            Machine machine = workshop.machine();
            Guest guest = workshop.start(machine);
            guest.sh("echo lost > /opt/file");
            runtime.destroyForGood(machine.id());
            runtime.destroyForGood(machine.id());
            assertThat(runtime.life(guest.process())).isEqualTo(Life.ENDED);
            assertThat(Leftovers.of(run, cgroups)).isEmpty();
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(rootsHeld()).isLessThanOrEqualTo(before));
    }

    private static long rootsHeld() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(descriptor -> isOf(descriptor, "/")).count();
        }
    }

    private static boolean isOf(Path descriptor, String target) {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals(target);
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    @Test
    void failedStartSaysWhyAndLeavesNothing() throws Exception {
        Machine whole = workshop.machine();
        Machine broken = withLayers(whole, List.of(Path.of("/nonexistent/layer")));
        assertThatThrownBy(() -> runtime.start(broken))
                .isInstanceOfSatisfying(SandglassException.class, problem -> {
                    assertThat(problem.code()).isEqualTo(ErrorCode.RUNTIME_FAILED);
                    assertThat(problem).hasMessageContaining("/nonexistent/layer");
                });
        assertThat(Leftovers.of(run, cgroups)).isEmpty();
    }

    @Test
    void missingAgentIsNamed() throws Exception {
        Machine broken = withAgent(workshop.machine(), Path.of("/nonexistent/agent"));
        assertThatThrownBy(() -> runtime.start(broken))
                .isInstanceOf(SandglassException.class)
                .hasMessageContaining("/nonexistent/agent");
        assertThat(Leftovers.of(run, cgroups)).isEmpty();
    }

    @Test
    void failureOfTheEngineCarriesItsOwnWords() throws Exception {
        Machine machine = workshop.machine();
        Files.createFile(machine.writable().resolve("upper/proc")); // gVisor does not mind
        Path garbage = Files.writeString(run.path().resolve("garbage"), "not a program");
        Files.setPosixFilePermissions(garbage, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> runtime.start(withAgent(machine, garbage)))
                .isInstanceOfSatisfying(SandglassException.class, problem -> {
                    assertThat(problem.code()).isEqualTo(ErrorCode.RUNTIME_FAILED);
                    assertThat(problem).hasMessageContaining(engine.isGvisor() ? "exec format error" : "proc");
                });
        assertThat(Leftovers.of(run, cgroups)).isEmpty();
    }

    @Test
    void startOfARunningSandboxIsRefusedAndHarmless() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        assertThatThrownBy(() -> runtime.start(machine)).isInstanceOf(SandglassException.class);
        assertThat(guest.sh("echo alive")).isEqualTo("alive");
    }

    @Test
    void manyComeAndGoAtOnce() throws Exception {
        List<Future<String>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(10)) {
            for (int i = 0; i < 20; i++) {
                answers.add(threads.submit(() -> {
                    Machine machine = workshop.machine();
                    String answer = workshop.start(machine).sh("echo fine");
                    runtime.destroy(machine.id());
                    return answer;
                }));
            }
        }
        for (Future<String> answer : answers) {
            assertThat(answer.get()).isEqualTo("fine");
        }
        assertThat(Leftovers.of(run, cgroups)).isEmpty();
    }

    private static Machine withAgent(Machine machine, Path agent) {
        return new Machine(
                machine.id(), machine.hostname(), machine.layers(), machine.writable(),
                agent, machine.identity(), machine.limits(), machine.security(), machine.capabilities(), machine.network());
    }

    private static Machine withLayers(Machine machine, List<Path> layers) {
        return new Machine(
                machine.id(), machine.hostname(), layers, machine.writable(),
                machine.agent(), machine.identity(), machine.limits(), machine.security(), machine.capabilities(), machine.network());
    }

    private static String bootId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException problem) {
            throw new AssertionError(problem);
        }
    }
}
