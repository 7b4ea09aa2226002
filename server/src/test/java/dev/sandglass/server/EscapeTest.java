package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Root in a sandbox tries the known ways to the host and to a neighbour, where flags are planted that it must not bring back. */
@DefaultNetwork
@OnEveryRuntime
class EscapeTest {
    private static final Path TRICKS = Path.of("src/test/resources/posture/escape.py");
    /** Settings of the kernel that lead to a program which the host would run. */
    private static final List<Path> SETTINGS = List.of(Path.of("/proc/sys/kernel/core_pattern"), Path.of("/proc/sys/kernel/modprobe"));

    private final String runtime;
    private final String flag = UUID.randomUUID().toString();
    @TempDir
    private Path host;
    private TestSandbox neighbour;

    EscapeTest(String runtime) {
        this.runtime = runtime;
    }

    @BeforeEach
    void plant() throws IOException {
        Files.writeString(host.resolve("planted"), flag);
        neighbour = SharedDaemon.api().create(SandboxRequest.on(runtime).env(Map.of("FLAG", flag)));
        neighbour.output("mkdir -p " + host + "; echo " + flag + " | tee " + host + "/planted > /dev/shm/" + flag);
    }

    @AfterEach
    void takeAway() {
        neighbour.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "standard"})
    void noKnownTrickBringsAFlagBack(String profile) throws IOException {
        Command nearby = neighbour.start(Run.of("sh", "-c", "sleep 600; :", flag));
        List<String> before = settings();
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TestSandbox box = SharedDaemon.api().create(SandboxRequest.on(runtime).security(profile))) {
            String port = Integer.toString(listening.getLocalPort());
            String brought = box.output(
                    Run.of("python3", "-c", Files.readString(TRICKS), host.resolve("planted").toString(), port).timeout(60_000));
            assertThat(brought).as("what was brought back").doesNotContain(flag).doesNotContain("was written", "was mounted", "reached", "device", "open_by_handle_at");
            assertThat(box.output("true")).isEmpty();
            listening.setSoTimeout(1);
            assertThatThrownBy(listening::accept).as("no connection came to the host").isInstanceOf(SocketTimeoutException.class);
        }
        assertThat(settings()).isEqualTo(before);
        assertThat(host).isDirectoryNotContaining(file -> !file.endsWith("planted"));
        assertThat(host.resolve("planted")).hasContent(flag);
        assertThat(neighbour.command(nearby.id()).state()).isEqualTo("running");
    }

    private static List<String> settings() {
        return SETTINGS.stream().map(Leftovers::read).toList();
    }

    /** Every process that can be named from inside is killed: those of the sandbox, and no other; the agent stays. */
    @Test
    void signalsStayInside() throws IOException {
        Command nearby = neighbour.start(Run.of("sleep", "600"));
        try (TestSandbox box = SharedDaemon.api().create(SandboxRequest.on(runtime).security("standard"))) {
            Command own = box.start(Run.of("sleep", "600"));
            box.run(Run.python("""
                    import os
                    for pid in [1, -1] + list(range(2, 70000)):
                        try:
                            if pid != os.getpid(): os.kill(pid, 9)
                        except OSError: pass
                    """));
            assertThat(box.await(own).exit()).extracting("signal").isEqualTo(9);
            assertThat(box.output("echo the agent lives")).isEqualTo("the agent lives");
        }
        assertThat(neighbour.command(nearby.id()).state()).isEqualTo("running");
        assertThat(SharedDaemon.daemon().isAlive()).isTrue();
    }

    /** Names and paths with escape sequences and line breaks: what the daemon writes about them stays one plain line. */
    @Test
    void whatASandboxSaysIsInertInTheLog() throws IOException {
        String nasty = "\u001b]0;owned\u0007\nFORGED INFO all is well\r";
        neighbour.run(Run.of("sh", "-c", "exit 3", nasty).env("NASTY", nasty));
        Refusals.refused(ErrorCode.PROGRAM_NOT_FOUND, () -> neighbour.run(Run.of(nasty)));
        neighbour.files().write("/tmp/" + nasty.replace("/", ""), "x");
        Refusals.refused(ErrorCode.PATH_NOT_FOUND, () -> neighbour.files().read("/none/" + nasty));
        try (TestSandbox labelled = SharedDaemon.api().create(SandboxRequest.on(runtime).labels(Map.of("label", nasty)))) {
            assertThat(labelled.now().labels()).containsEntry("label", nasty);
        }
        String log = Files.readString(SharedDaemon.daemon().log());
        assertThat(log.lines()).noneMatch(line -> line.startsWith("FORGED"));
        assertThat(log).doesNotContain("\u001b", "\u0007", "\r");
    }
}
