package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A command that is run for a client goes with that client, and with nothing else. */
@OnEveryRuntime
class LeavingClientTest {
    private final String runtime;
    private TestSandbox box;

    LeavingClientTest(String runtime) {
        this.runtime = runtime;
        this.box = SharedDaemon.sandbox(runtime);
    }

    @BeforeEach
    void own() {
        box = SharedDaemon.api().create(SandboxRequest.on(runtime));
    }

    @AfterEach
    void destroy() {
        box.close();
    }

    @Test
    void aClientThatLeavesTakesItsCommandAlong() throws IOException {
        try (Socket client = send("sleep", "7311")) {
            Eventually.get(() -> box.count("sleep 7311"), count -> count == 1);
            assertThat(client.isConnected()).isTrue();
        }
        Eventually.get(() -> box.count("sleep 7311"), count -> count == 0);
        assertThat(box.commands()).isEmpty();
    }

    @Test
    void aClientThatLeavesBeforeTheStartIsAnsweredLeavesNoCommand() throws IOException {
        signal("STOP");
        try (Socket client = send("sleep", "7312")) {
            assertThat(client.isConnected()).isTrue();
        } finally {
            signal("CONT");
        }
        assertThat(box.output("echo awake")).isEqualTo("awake");
        Eventually.get(() -> box.count("sleep 7312"), count -> count == 0);
        assertThat(box.commands()).isEmpty();
    }

    @Test
    void aConnectionServesOneRunAfterAnother() throws IOException {
        try (Socket client = send("echo", "one")) {
            BufferedReader answers = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
            assertThat(answer(answers)).contains("\"stdout\":\"one\\n\"");
            for (String word : List.of("two", "three", "four")) {
                client.getOutputStream().write(request("echo", word));
                assertThat(answer(answers)).contains("\"stdout\":\"" + word + "\\n\"");
            }
        }
    }

    @Test
    void aCommandThatRunsWhileTheDaemonStopsGoesOn() throws IOException, InterruptedException {
        try (Socket client = send("sleep", "7313")) {
            Eventually.get(() -> box.count("sleep 7313"), count -> count == 1);
            SharedDaemon.daemon().stop();
            SharedDaemon.daemon().start();
            assertThat(box.count("sleep 7313")).isEqualTo(1);
            assertThat(box.commands()).extracting(Command::state).containsExactly("running");
            assertThat(client.isConnected()).isTrue();
        }
    }

    private Socket send(String... argv) throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), box.caller().port());
        client.setSoTimeout(120_000);
        client.getOutputStream().write(request(argv));
        return client;
    }

    private byte[] request(String... argv) {
        String body = Json.write(Run.of(argv).toRun());
        return ("POST " + box.path() + "/commands/run HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + box.caller().authorization()
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** The body of the next answer. */
    private static String answer(BufferedReader answers) throws IOException {
        int length = -1;
        for (String line = answers.readLine(); !line.isEmpty(); line = answers.readLine()) {
            if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length: ")) {
                length = Integer.parseInt(line.substring(16));
            }
        }
        char[] body = new char[length];
        for (int at = 0; at < length; ) {
            at += answers.read(body, at, length - at);
        }
        return new String(body);
    }

    /** Stops the whole of the sandbox as an overloaded machine would, or lets it go on. */
    private void signal(String name) throws IOException {
        MountNamespace.output(new ProcessBuilder("kill", "-" + name, String.valueOf(box.info().pid())));
    }
}
