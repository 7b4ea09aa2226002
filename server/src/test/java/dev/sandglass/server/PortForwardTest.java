package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sandglass.wire.Command;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Bytes go to a port of a sandbox and come from it as over a connection of its own, whatever network the sandbox has. */
@OnEveryRuntime
class PortForwardTest {
    private static final String ECHO = """
            import socket, threading
            server = socket.create_server(("127.0.0.1", %d))
            def serve(peer):
                while True:
                    some = peer.recv(65536)
                    if not some:
                        break
                    peer.sendall(some)
                peer.sendall(b"over")
                peer.close()
            print("ready", flush=True)
            while True:
                threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
            """;
    /** One that is never read by its peer, which stops it in its tracks, or lets it write all it has. */
    private static final String FLOOD = """
            import socket
            server = socket.create_server(("127.0.0.1", %d))
            print("ready", flush=True)
            peer = server.accept()[0]
            peer.settimeout(5)
            sent = 0
            try:
                while sent < 1 << 28:
                    sent += peer.send(bytes(65536))
                print("all", flush=True)
            except TimeoutError:
                print("held", flush=True)
            peer.settimeout(None)
            peer.sendall(b"x")
            print("sent", sent + 1, flush=True)
            peer.close()
            """;
    /** One that breaks off as soon as it has heard something. */
    private static final String RESET = """
            import socket, struct
            server = socket.create_server(("127.0.0.1", %d))
            print("ready", flush=True)
            peer = server.accept()[0]
            peer.recv(1)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()
            print("gone", flush=True)
            """;

    private final String runtime;
    private final TestSandbox box;

    PortForwardTest(String runtime) {
        this.runtime = runtime;
        this.box = SharedDaemon.sandbox(runtime);
    }

    private static Command serve(TestSandbox in, String program, int port) {
        Command started = in.start(Run.python(program.formatted(port)));
        Eventually.get(() -> in.said(started), said -> said.contains("ready"));
        return started;
    }

    @Test
    void eachDirectionEndsByItself() {
        Command server = serve(box, ECHO, 7001);
        try (PortSocket socket = PortSocket.to(box, 7001)) {
            socket.send("hello ");
            Eventually.get(socket::text, text -> text.equals("hello "));
            socket.send("again");
            socket.end();
            assertThat(new String(socket.all(), StandardCharsets.UTF_8)).isEqualTo("hello againover");
            assertThat(socket.awaitClose()).isEqualTo(1000);
        } finally {
            box.signal(server, "KILL");
        }
    }

    @Test
    void manyAtOnceCarryMuchAndMixNothing() {
        Command server = serve(box, ECHO, 7002);
        List<PortSocket> sockets = new ArrayList<>();
        List<byte[]> contents = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                byte[] content = new byte[3 << 20];
                new Random(i).nextBytes(content);
                contents.add(content);
                sockets.add(PortSocket.to(box, 7002));
            }
            for (int at = 0; at < 3 << 20; at += 1 << 18) {
                for (int i = 0; i < sockets.size(); i++) {
                    sockets.get(i).send(Arrays.copyOfRange(contents.get(i), at, at + (1 << 18)));
                }
            }
            sockets.forEach(PortSocket::end);
            for (int i = 0; i < sockets.size(); i++) {
                byte[] all = sockets.get(i).all();
                assertThat(all.length).isEqualTo((3 << 20) + 4);
                assertThat(Arrays.mismatch(all, contents.get(i))).as("of %s", i).isEqualTo(3 << 20);
            }
        } finally {
            sockets.forEach(PortSocket::close);
            box.signal(server, "KILL");
        }
    }

    @Test
    void aClientThatTakesNothingHoldsTheProgramUpAndGetsAllOfItLater() {
        Command server = serve(box, FLOOD, 7003);
        try (PortSocket socket = PortSocket.to(box, 7003, false)) {
            assertThat(Eventually.get(() -> box.said(server), said -> said.contains("held") || said.contains("all"))).contains("held");
            socket.read();
            int count = socket.all().length;
            assertThat(Eventually.get(() -> box.said(server), said -> said.contains("sent "))).contains("sent " + count + "\n");
            assertThat(count).isLessThan(1 << 28);
        }
    }

    @Test
    void oneThatBreaksIsToldAsThat() {
        Command server = serve(box, RESET, 7004);
        try (PortSocket socket = PortSocket.to(box, 7004)) {
            socket.send("x");
            assertThat(socket.awaitClose()).isEqualTo(1011);
            assertThat(Eventually.get(() -> box.said(server), said -> said.contains("gone"))).contains("gone");
        }
    }

    @Test
    void aClientThatLeavesCutsItOffInside() {
        Command server = box.start(Run.python("""
                import socket
                server = socket.create_server(("127.0.0.1", 7005))
                print("ready", flush=True)
                peer = server.accept()[0]
                try:
                    print("left" if not peer.recv(1) else "?", flush=True)
                except ConnectionResetError:
                    print("left", flush=True)
                """));
        Eventually.get(() -> box.said(server), said -> said.contains("ready"));
        PortSocket.to(box, 7005).close();
        assertThat(Eventually.get(() -> box.said(server), said -> said.contains("left"))).contains("left");
    }

    @Test
    void whatIsNotOfTheConversationEndsIt() {
        Command server = serve(box, ECHO, 7006);
        try {
            for (int kind : new int[] {1, 2, 4, 127}) {
                try (PortSocket socket = PortSocket.to(box, 7006)) {
                    socket.send(kind, new byte[0]);
                    assertThat(socket.awaitClose()).as("kind %s", kind).isEqualTo(1008);
                }
            }
            try (PortSocket socket = PortSocket.to(box, 7006)) {
                socket.end();
                socket.send("more");
                assertThat(socket.awaitClose()).isIn(1000, 1008); // it may be over by then
            }
        } finally {
            box.signal(server, "KILL");
        }
    }

    @Test
    void nothingThatListensIsSaidBeforeAnythingIsOpened() {
        assertThat(status(box, 7999)).isEqualTo(502);
        assertThat(status(box, 70000)).isEqualTo(400);
    }

    private static int status(TestSandbox of, int port) {
        Throwable refused = catchThrowable(() -> PortSocket.to(of, port).close());
        assertThat(refused).isInstanceOf(CompletionException.class).hasCauseInstanceOf(WebSocketHandshakeException.class);
        return ((WebSocketHandshakeException) Objects.requireNonNull(refused.getCause())).getResponse().statusCode();
    }

    @Test
    void itNeedsNoNetworkAndWakesOneThatIsToBeWokenByUse() {
        try (TestSandbox quiet = SharedDaemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("none").autoResume());
                TestSandbox asleep = SharedDaemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Command server = serve(quiet, ECHO, 80);
            try (PortSocket socket = PortSocket.to(quiet, 80)) {
                socket.send("through");
                Eventually.get(socket::text, text -> text.equals("through"));
            }
            quiet.signal(server, "KILL");
            quiet.pause(true);
            assertThat(status(quiet, 80)).as("it runs, and nothing of it listens").isEqualTo(502);
            assertThat(quiet.now().state()).isEqualTo("running");
            asleep.pause(true);
            assertThat(status(asleep, 80)).isEqualTo(409);
            assertThat(asleep.now().state()).isEqualTo("paused");
        }
    }
}
