package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sandboxes come, are found, and go. */
@DefaultNetwork
@OnEveryRuntime
class SandboxLifeTest {
    private final Api api = SharedDaemon.api();
    private final String runtime;

    SandboxLifeTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void aSandboxRunsWithDefaultsWhenItsCreatorSaysNothing() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime))) {
            Sandbox info = box.info();
            assertThat(info.state()).isEqualTo("running");
            assertThat(info.runtime()).isEqualTo(runtime);
            assertThat(info.security()).isEqualTo("strict");
            assertThat(info.name()).matches("[a-z]+-[a-z]+(-[0-9]+)?");
            assertThat(info.memoryMb()).isEqualTo(1024);
            assertThat(info.diskMb()).isEqualTo(10_240);
            assertThat(info.maxProcesses()).isEqualTo(1024);
            assertThat(info.warnings()).isEmpty();
            assertThat(ProcessHandle.of(info.pid() == null ? 0 : info.pid())).isPresent();
            assertThat(box.now()).isEqualTo(info);
        }
    }

    @Test
    void nameLabelsAndEnvironmentAreKept() {
        SandboxRequest request = SandboxRequest.on(runtime)
                .name("Odd_name.1")
                .labels(Map.of("team", "blue", "a/b", ""))
                .env(Map.of("GREETING", "hello \"you\"\n$HOME", "EMPTY", ""));
        try (TestSandbox box = api.create(request)) {
            assertThat(box.name()).isEqualTo("Odd_name.1");
            assertThat(box.now().labels()).isEqualTo(Map.of("team", "blue", "a/b", ""));
            assertThat(box.output("printf '%s|%s' \"$GREETING\" \"${EMPTY-unset}\"")).isEqualTo("hello \"you\"\n$HOME|");
        }
    }

    @Test
    void itIsFoundByNameIdAndUniquePrefix() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).name("findable"))) {
            assertThat(api.get("findable").id()).isEqualTo(box.id());
            assertThat(api.get(box.id()).name()).isEqualTo("findable");
            assertThat(api.get(box.id().substring(0, 12)).id()).isEqualTo(box.id());
            assertThat(api.get("findab").id()).isEqualTo(box.id());
            refused(ErrorCode.SANDBOX_NOT_FOUND, () -> api.destroy("findab"));
            assertThat(api.names()).contains("findable");
        }
        refused(ErrorCode.SANDBOX_NOT_FOUND, () -> api.get("findable"));
        assertThat(api.names()).doesNotContain("findable");
    }

    @Test
    void aTakenNameIsRefusedAndFreeAgainAfterItsSandboxIsDestroyed() {
        SandboxRequest request = SandboxRequest.on(runtime).name("only-one");
        try (TestSandbox first = api.create(request)) {
            assertThat(refused(ErrorCode.NAME_TAKEN, () -> api.create(request)).what()).contains("only-one");
            assertThat(first.now().state()).isEqualTo("running");
        }
        try (TestSandbox second = api.create(request)) {
            assertThat(second.name()).isEqualTo("only-one");
        }
    }

    @Test
    void oneOfManyThatWantTheSameNameGetsIt() {
        List<Callable<Integer>> attempts = IntStream.range(0, 6)
                .mapToObj(i -> (Callable<Integer>) () -> api.caller()
                        .send("POST", "/v1/sandboxes", "application/json", Bodies.json(SandboxRequest.on(runtime).name("contested").toWire()))
                        .status())
                .toList();
        assertThat(AtOnce.all(attempts)).containsOnlyOnce(201).containsOnly(201, 409);
        api.destroy("contested");
    }

    @Test
    void destroyLeavesNothingAndWorksTwice() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime));
        box.start(Run.shell("trap '' TERM HUP INT; sleep 1000 & sleep 1000"));
        assertThat(Leftovers.of(SharedDaemon.daemon()).of(box.id())).isNotEmpty();
        box.close();
        assertThat(Leftovers.of(SharedDaemon.daemon()).of(box.id())).isEmpty();
        box.close();
        refused(ErrorCode.SANDBOX_NOT_FOUND, () -> api.destroy(box.name()));
        refused(ErrorCode.SANDBOX_NOT_FOUND, box::now);
    }

    @Test
    void destroyBySeveralAtOnceIsFine() {
        TestSandbox box = api.create(SandboxRequest.on(runtime));
        Callable<Integer> destroy = () -> api.caller().delete(box.path()).status();
        assertThat(AtOnce.all(List.of(destroy, destroy, destroy, destroy))).containsOnly(204);
    }

    @Test
    void aSandboxWhoseFirstProcessDiesHasFailedAndCanBeDestroyed() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime));
        Processes.kill(box.info().pid());
        Sandbox failed = Eventually.get(box::now, now -> now.state().equals("failed"));
        assertThat(failed.reason()).isEqualTo("exited");
        assertThat(refused(ErrorCode.SANDBOX_NOT_RUNNING, () -> box.output("true")).what()).contains("failed");
        refused(ErrorCode.SANDBOX_NOT_RUNNING, () -> box.files().read("/etc/hostname"));
        box.close();
        assertThat(Leftovers.of(SharedDaemon.daemon()).of(box.id())).isEmpty();
    }

    @Test
    void manyAreMadeUsedAndDestroyedAtOnce() {
        List<Callable<String>> lives = IntStream.range(0, 12)
                .mapToObj(i -> (Callable<String>) () -> {
                    try (TestSandbox box = api.create(SandboxRequest.on(runtime).name("many-" + i).memoryMb(256))) {
                        return box.output("hostname");
                    }
                })
                .toList();
        assertThat(AtOnce.all(lives)).containsExactlyElementsOf(IntStream.range(0, 12).mapToObj(i -> "many-" + i).toList());
    }

    @Test
    void itKnowsWhoItIs() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).name("Who_am.I"));
                TestSandbox other = api.create(SandboxRequest.on(runtime))) {
            assertThat(box.output("hostname; cat /etc/hostname")).isEqualTo("who-am-i\nwho-am-i");
            assertThat(box.output("cat /etc/hosts")).contains("127.0.0.1 localhost who-am-i");
            assertThat(box.output("cat /run/sandglass/id /run/sandglass/name")).isEqualTo(box.id() + "\nWho_am.I");
            assertThat(box.output("cat /etc/machine-id")).matches("[0-9a-f]{32}").isNotEqualTo(other.output("cat /etc/machine-id"));
            assertThat(box.run(Run.shell("echo x > /run/sandglass/id")).exit().code()).isNotZero();
            assertThat(box.output("getent hosts localhost | head -1")).contains("localhost");
        }
    }

    @Test
    void moreProcessorsThanThereAreAreCappedWithAWarning() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).cpus(4096))) {
            assertThat(box.info().cpus()).isEqualTo(Runtime.getRuntime().availableProcessors());
            assertThat(box.info().warnings()).singleElement().asString().contains("4096");
        }
    }

    @Test
    void oneThatDoesNotSayHasAnOpenNetwork() {
        TestSandbox box = SharedDaemon.sandbox(runtime);
        assertThat(box.info().network()).isEqualTo(new NetworkPolicy(null, List.of(), "allow"));
        assertThat(interfaces(box)).isEqualTo("eth0\nlo");
        assertThat(box.output("cat /etc/resolv.conf")).isEqualTo("nameserver 10.0.0.1");
    }

    private static String interfaces(TestSandbox box) {
        return box.output("sed '1,2d; s/:.*//; s/ //g' /proc/net/dev | sort");
    }

    @Test
    void onlyLoopbackIsThereWithoutANetwork() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).network("none"))) {
            assertThat(interfaces(box)).isEqualTo("lo");
            assertThat(box.output(Run.python("""
                    import socket, threading
                    s = socket.create_server(('127.0.0.1', 0))
                    threading.Thread(target=lambda: s.accept()[0].sendall(b'hi')).start()
                    print(socket.create_connection(s.getsockname()).recv(9).decode())
                    """))).isEqualTo("hi");
            assertThat(box.output(Run.python("""
                    import socket
                    try: socket.create_connection(('203.0.113.1', 80), 5); print('out')
                    except OSError: print('refused')
                    """))).isEqualTo("refused");
        }
    }
}
