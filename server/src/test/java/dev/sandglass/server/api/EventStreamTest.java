package dev.sandglass.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.EventList;
import dev.sandglass.wire.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events as they come: from where a client was, told what it missed, and nothing is left of a client that leaves. */
@Timeout(180)
class EventStreamTest extends ApiFixture {
    private static final SandboxId BOX = new SandboxId("sbx-aaaaaaaaaaaa");

    @Test
    void aClientGoesOnWhereItWas() throws IOException, InterruptedException {
        add(3);
        try (BufferedReader stream = follow("/v1/events", "1")) {
            assertThat(next(stream)).containsExactly("id: 1");
            assertThat(next(stream)).startsWith("id: 2", "event: test.made");
            assertThat(next(stream)).startsWith("id: 3");
            add(1);
            assertThat(next(stream)).startsWith("id: 4");
        }
        try (BufferedReader stream = follow("/v1/events", "")) {
            assertThat(next(stream)).as("where a client is that only waits").containsExactly("id: 4");
            add(1);
            assertThat(next(stream)).startsWith("id: 5");
        }
    }

    @Test
    void moreThanAPageComesWhole() throws IOException, InterruptedException {
        add(250);
        try (BufferedReader stream = follow("/v1/events?after=0", "")) {
            next(stream);
            for (int i = 1; i <= 250; i++) {
                assertThat(next(stream)).startsWith("id: " + i);
            }
        }
    }

    @Test
    void onlyWhatIsWantedComes() throws IOException, InterruptedException {
        try (BufferedReader stream = follow("/v1/events?sandbox=other&type=test", "")) {
            next(stream);
            add(150);
            api.ledger.add(new SandboxId("sbx-bbbbbbbbbbbb"), "other", new Change("else.made", Map.of()));
            api.ledger.add(new SandboxId("sbx-bbbbbbbbbbbb"), "other", new Change("test.made", Map.of("line", "a\nb")));
            assertThat(next(stream)).startsWith("id: 152", "event: test.made").last().asString().contains("a\\nb");
        }
    }

    @Test
    void aClientIsToldThatEventsAreNoLongerKept() throws IOException, InterruptedException {
        add(3);
        try (BufferedReader stream = follow("/v1/events", "99")) {
            next(stream);
            assertThat(next(stream)).startsWith("id: 99", "event: gap");
            add(1);
            assertThat(next(stream)).startsWith("id: 4");
        }
        EventList page = Json.read(EventList.class, api.get("/v1/events?after=99").body().getBytes(StandardCharsets.UTF_8));
        assertThat(page).isEqualTo(new EventList(List.of(), 4, true));
    }

    @Test
    void aClientThatLeavesLeavesNothing() throws IOException, InterruptedException {
        List<BufferedReader> streams = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            streams.add(follow("/v1/events", ""));
            next(streams.getLast());
        }
        assertThat(api.engine.events().subscriptions()).isEqualTo(20);
        add(1);
        for (BufferedReader stream : streams) {
            assertThat(next(stream)).startsWith("id: 1");
            stream.close();
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> api.engine.events().subscriptions() == 0);
    }

    @Test
    void aClientThatReadsNothingHoldsNobodyUp() throws IOException, InterruptedException {
        String head = "GET /v1/events?after=0 HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: "
                + api.request("/").build().headers().firstValue("Authorization").orElseThrow() + "\r\n\r\n";
        try (Socket lazy = new Socket(InetAddress.getLoopbackAddress(), api.door.port())) {
            lazy.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            await().atMost(Duration.ofMinutes(1)).until(() -> api.engine.events().subscriptions() == 1);
            Change large = new Change("test.large", Map.of("text", "x".repeat(30_000)));
            for (int i = 0; i < 500; i++) {
                api.ledger.add(BOX, "box", large);
            }
            try (BufferedReader stream = follow("/v1/events?after=499", "")) {
                next(stream);
                assertThat(next(stream)).startsWith("id: 500");
            }
            assertThat(api.get("/v1/events?limit=1").statusCode()).isEqualTo(200);
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> api.engine.events().subscriptions() == 0);
    }

    @Test
    void whatIsNoIdIsRefused() throws IOException, InterruptedException {
        for (String bad : List.of("after=-1", "after=x", "type=A", "type=..", "limit=0")) {
            assertThat(api.get("/v1/events?" + bad).statusCode()).as(bad).isEqualTo(400);
        }
        HttpResponse<String> answer = api.client.send(
                api.request("/v1/events").header("Last-Event-ID", "1e9").build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(400);
    }

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            api.ledger.add(BOX, "box", new Change("test.made", Map.of()));
        }
    }

    private BufferedReader follow(String target, String lastId) throws IOException, InterruptedException {
        var request = api.request(target).header("Accept", "text/event-stream");
        if (!lastId.isEmpty()) {
            request.header("Last-Event-ID", lastId);
        }
        HttpResponse<InputStream> answer = api.client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
        return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    }

    /** The lines of the next event, comments left out. */
    private static List<String> next(BufferedReader stream) throws IOException {
        List<String> lines = new ArrayList<>();
        while (true) {
            String line = stream.readLine();
            assertThat(line).as("the stream goes on").isNotNull();
            if (line.isEmpty() && !lines.isEmpty()) {
                return lines;
            }
            if (!line.isEmpty() && !line.startsWith(":")) {
                lines.add(line);
            }
        }
    }
}
