package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a sandbox may use is bounded, however it is tried. What its neighbours notice of it: {@link ExhaustionTest}. */
@OnEveryRuntime
class LimitsTest {
    private static final String HUNGRY = "x = []\nwhile True: x.append(bytearray(4 << 20))";

    private final Api api = SharedDaemon.api();
    private final String runtime;

    LimitsTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void aCommandThatTakesTooMuchMemoryIsKilledAndToldWhy() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).memoryMb(256))) {
            assertOutOfMemory(box, box.run(Run.python(HUNGRY)).exit());
            if (!box.now().state().equals("running")) {
                return;
            }
            assertOutOfMemory(box, Objects.requireNonNull(box.await(box.start(Run.python(HUNGRY))).exit()));
            Command terminal = box.start(Run.python(HUNGRY).pty(80, 24));
            assertOutOfMemory(box, Objects.requireNonNull(box.await(terminal).exit()));
            assertThat(box.output("echo still here")).isEqualTo("still here");
        }
    }

    private static void assertOutOfMemory(TestSandbox box, Exit exit) {
        Sandbox now = box.now();
        if (now.state().equals("failed")) {
            assertThat(now.reason()).isEqualTo("oom");
            return;
        }
        assertThat(exit.reason()).as("%s", exit).isEqualTo("oom");
        assertThat(exit.message()).contains("`sandglass update --memory`");
        assertThat(exit.code()).isIn(137, 1); // 1: Python itself saw on gVisor that there is no more, a moment before the agent's blow
        assertThat(exit.message()).contains("256 MB").contains("--memory");
    }

    /** A kernel of the sandbox's own cannot go on without a thread that the host refuses it. */
    @Test
    void anEndByTheHostsLimitOfProcessesIsToldAsOne() throws IOException {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime))) {
            HostLimits.refuseTasks(SharedDaemon.daemon(), box.id());
            try {
                box.run(Run.python("import threading, time\nfor i in range(500): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()"));
            } catch (SandglassException refused) {
                assertThat(refused.code()).isIn(ErrorCode.LIMIT_REACHED, ErrorCode.SANDBOX_NOT_RUNNING, ErrorCode.GUEST_PROTOCOL);
            }
            if (runtime.equals("container")) {
                Processes.kill(box.info().pid());
            }
            Sandbox ended = Eventually.get(box::now, now -> now.state().equals("failed"));
            assertThat(ended.reason()).isEqualTo(runtime.equals("container") ? "exited" : "processes");
        }
    }

    @Test
    void whyACommandEndedDoesNotChangeWithWhatHappensToOthers() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).memoryMb(256))) {
            Command killed = box.await(box.start(Run.shell("kill -9 $$")));
            assertThat(Objects.requireNonNull(killed.exit()).reason()).isNull();
            assertOutOfMemory(box, box.run(Run.python(HUNGRY)).exit());
            if (box.now().state().equals("running")) {
                assertThat(Objects.requireNonNull(box.command(killed.id()).exit()).reason()).isNull();
            }
        }
    }

    @Test
    void moreProcessesThanAllowedAreRefusedHoweverTheyAreStarted() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).processes(32))) {
            String count = """
                    import os, sys, time
                    made = 0
                    try:
                        while made < 200:
                            if os.fork() == 0: time.sleep(600)
                            made += 1
                    except OSError: pass
                    print('made', 'few' if made < 40 else 'many'); sys.stdout.flush()
                    os.killpg(0, 9)
                    """;
            assertThat(box.run(Run.python(count)).stdout()).isEqualTo("made few\n");
            Command detached = box.start(Run.python(count));
            box.await(detached);
            assertThat(Following.text(box.kept(detached), "stdout")).isEqualTo("made few\n");
            Command terminal = box.start(Run.python(count).pty(80, 24));
            box.await(terminal);
            assertThat(Following.text(box.kept(terminal), "")).contains("made few");
        }
    }

    @Test
    void aFullDiskIsSaidSoAndNeighboursHaveRoom() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).diskMb(32)); TestSandbox neighbour = api.create(SandboxRequest.on(runtime))) {
            assertThat(box.run(Run.shell("dd if=/dev/urandom of=/workspace/big bs=1M count=64")).exit().code()).isNotZero();
            refused(ErrorCode.DISK_FULL, () -> box.files().write("/workspace/more", "", BodyPublishers.ofByteArray(Bodies.random(1, 40 << 20))));
            assertThat(box.run(Run.shell("ls -A /workspace")).stdout()).as("nothing half is left").isEqualTo("big\n");
            neighbour.output("dd if=/dev/urandom of=/workspace/big bs=1M count=64");
            box.output("rm /workspace/big; sync");
            Eventually.get(() -> box.run(Run.shell("echo fits > /workspace/small")).exit().code(), Integer.valueOf(0)::equals);
        }
    }

    @Test
    void processorTimeIsLimited() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).cpus(0.25))) {
            assertThat(box.info().cpus()).isEqualTo(0.25);
            String busy = """
                    import time
                    start = time.monotonic(); used = time.process_time()
                    while time.monotonic() - start < 2: pass
                    print('slow' if time.process_time() - used < 1.6 else 'fast')
                    """;
            if (runtime.equals("container")) {
                assertThat(box.output(Run.python(busy))).isEqualTo("slow");
            }
        }
    }
}
