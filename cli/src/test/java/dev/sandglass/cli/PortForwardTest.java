package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.cli.forward.Forward;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections over real sockets of this machine to what a daemon says that it is. */
@Timeout(60)
final class PortForwardTest extends VerbFixture {
    private static final String AT = "GET /v1/sandboxes/sbx-aaaaaaaaaaaa/ports/";
    private static final Pattern OPEN = Pattern.compile("127\\.0\\.0\\.1:([0-9]+) leads to port ([0-9]+) of box");

    private @Nullable Thread running;

    @BeforeEach
    void know() {
        daemon.on("GET /v1/sandboxes/box", 200, VerbsTest.SANDBOX);
    }

    @AfterEach
    void end() throws InterruptedException {
        Thread begun = running;
        if (begun != null) {
            begun.interrupt();
            begun.join();
        }
    }

    /** Runs it until the test is over; the number of the port here. */
    private int forward(String... ports) {
        String[] words = new String[ports.length + 4];
        words[0] = "port-forward";
        words[1] = "box";
        words[2] = "-o";
        words[3] = "table";
        System.arraycopy(ports, 0, words, 4, ports.length);
        running = Thread.ofPlatform().start(() -> console.run(words));
        await().forever().until(() -> screen().lines().filter(line -> OPEN.matcher(line).matches()).count() == ports.length);
        return opened(0);
    }

    private String screen() {
        return console.screen.toString(StandardCharsets.UTF_8);
    }

    private int opened(int index) {
        Matcher line = OPEN.matcher(screen());
        for (int i = 0; i <= index; i++) {
            assertThat(line.find()).isTrue();
        }
        return Integer.parseInt(line.group(1));
    }

    private static Socket connect(int port) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    private static String rest(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void bytesGoBothWaysAndEachWayEndsByItself() throws IOException {
        daemon.onAttach(AT + "80", socket -> {
            socket.send(0, "hello " + socket.receive());
            socket.send(3, "");
            socket.send(0, ""); // nothing comes of nothing, also behind the end
            String end = socket.receive();
            socket.close(end.equals("3") ? 1000 : 1011);
        });
        try (Socket local = connect(forward("0:80"))) {
            local.getOutputStream().write("you".getBytes(StandardCharsets.UTF_8));
            assertThat(rest(local)).isEqualTo("hello 0you");
            local.shutdownOutput();
        }
        assertThat(screen()).doesNotContain("error");
    }

    @Test
    void theLocalSideMayEndFirst() throws IOException {
        daemon.onAttach(AT + "80", socket -> {
            String got = socket.receive();
            assertThat(socket.receive()).isEqualTo("3");
            socket.send(0, "answer to " + got);
            socket.send(3, "");
            socket.close(1000);
        });
        try (Socket local = connect(forward("0:80"))) {
            local.getOutputStream().write("question".getBytes(StandardCharsets.UTF_8));
            local.shutdownOutput();
            assertThat(rest(local)).isEqualTo("answer to 0question");
        }
        assertThat(screen()).doesNotContain("error");
    }

    @Test
    void severalPortsAndConnectionsAreApart() throws IOException {
        for (int port : new int[] {80, 81}) {
            daemon.onAttach(AT + port, socket -> {
                socket.send(0, port + " " + socket.receive());
                socket.send(3, "");
                socket.receive();
                socket.close(1000);
            });
        }
        forward("0:80", "127.0.0.1:0:81");
        try (Socket first = connect(opened(0));
                Socket second = connect(opened(0));
                Socket third = connect(opened(1))) {
            third.getOutputStream().write('c');
            second.getOutputStream().write('b');
            first.getOutputStream().write('a');
            assertThat(rest(first)).isEqualTo("80 0a");
            assertThat(rest(second)).isEqualTo("80 0b");
            assertThat(rest(third)).isEqualTo("81 0c");
        }
    }

    @Test
    void aConnectionThatComesToNothingIsToldAndTheNextIsTaken() throws IOException {
        daemon.on(AT + "80", 502, "{\"code\":\"port_refused\",\"message\":\"Port 80 of box refuses connections: Connection refused\",\"hint\":\"Start the service.\"}");
        int port = forward("0:80");
        try (Socket local = connect(port)) {
            assertThatThrownBy(() -> rest(local)).as("no proper end").isInstanceOf(IOException.class);
        }
        await().forever().until(() -> screen().contains("error: Port 80 of box refuses connections: Connection refused\nhint: Start the service.\n"));
        daemon.onAttach(AT + "80", socket -> {
            socket.send(0, "now");
            socket.send(3, "");
            socket.receive();
            socket.close(1000);
        });
        try (Socket local = connect(port)) {
            assertThat(rest(local)).isEqualTo("now");
        }
    }

    @Test
    void oneThatBreaksIsNoProperEnd() throws IOException {
        daemon.onAttach(AT + "80", socket -> {
            socket.send(0, "half");
            socket.receive();
            socket.close(1011);
        });
        daemon.onAttach(AT + "81", socket -> socket.send(0, "half")); // and the daemon is gone
        forward("0:80", "0:81");
        try (Socket local = connect(opened(0))) {
            assertThat(local.getInputStream().readNBytes(4)).asString().isEqualTo("half");
            local.getOutputStream().write('x');
            assertThatThrownBy(() -> rest(local)).isInstanceOf(IOException.class);
        }
        try (Socket local = connect(opened(1))) {
            assertThatThrownBy(() -> rest(local)).isInstanceOf(IOException.class);
        }
        await().forever().until(() -> screen().contains("error: A connection to port 80 broke") && screen().contains("error: A connection to port 81 broke"));
    }

    @Test
    void aPortThatIsTakenASandboxThatIsNotThereAndNonsenseAreSaid() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(console.run("port-forward", "box", taken.getLocalPort() + ":80")).isEqualTo(4);
            assertThat(console.err).contains("cannot be listened on", "0:80 takes a free one");
        }
        assertThat(console.run("port-forward", "nobody", "0:80")).isEqualTo(3);
        assertThat(console.run("port-forward", "box", "http")).isEqualTo(2);
        assertThat(console.run("port-forward", "box")).isEqualTo(2);
    }

    @Test
    void programsAreToldInJson() {
        running = Thread.ofPlatform().start(() -> console.run("port-forward", "box", "0:80"));
        await().forever().until(() -> screen().endsWith("\n"));
        assertThat(screen()).matches("\\{\"address\":\"127.0.0.1\",\"local\":[1-9][0-9]*,\"port\":80}\n");
    }

    @ParameterizedTest
    @CsvSource({"8080,127.0.0.1,8080,8080", "8080:80,127.0.0.1,8080,80", "0:80,127.0.0.1,0,80", "0.0.0.0:8080:80,0.0.0.0,8080,80", "[::1]:8080:80,::1,8080,80", "localhost:1:65535,localhost,1,65535"})
    void aPortIsWrittenSo(String text, String address, int local, int port) {
        assertThat(Forward.parse(text)).isEqualTo(Optional.of(new Forward(address, local, port)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "80:0", "65536", "65536:80", ":80", "80:", "::1:80:80", "a:b", "80:http", "-1:80", "1:2:3:4"})
    void andNotSo(String text) {
        assertThat(Forward.parse(text)).isEmpty();
    }
}
