package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.wire.Health;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A client that asks for much and takes nothing costs little, and not for ever. */
class StuckClientTest {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration QUIET = Duration.ofMillis(250);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int PIECE = 1 << 16;
    /** What the kernel may hold for both sides, generously. */
    private static final long MOST_BYTES = 64 << 20;

    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();

    @Test
    void aWebSocketIsLetGo() throws Exception {
        Handler endless = exchange -> exchange.upgrade(() -> new Conversation() {
            @Override
            public void run(WebSocket socket) throws IOException, InterruptedException {
                while (true) {
                    socket.send(1, new byte[PIECE]);
                    sent.addAndGet(PIECE);
                }
            }

            @Override
            public void close() {
                ended.incrementAndGet();
            }
        });
        try (Door door = Door.impatient(Map.of("socket", endless), PATIENCE); RawConnection raw = door.tcp()) {
            raw.send("GET /v1/socket HTTP/1.1\r\n" + door.goodHeaders()
                    + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n");
            assertThat(raw.readHead().status()).isEqualTo(101);
            isLetGo(door);
        }
    }

    @Test
    void aStreamOfEventsIsLetGo() throws Exception {
        Handler endless = exchange -> {
            ServerSentEvents events = exchange.serverSentEvents();
            Health large = new Health("x".repeat(PIECE));
            try {
                for (long id = 1; ; id++) {
                    events.send(id, "large", large);
                    sent.addAndGet(PIECE);
                }
            } finally {
                ended.incrementAndGet();
            }
        };
        try (Door door = Door.impatient(Map.of("lines", endless), PATIENCE); RawConnection raw = door.tcp()) {
            raw.send("GET /v1/lines HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            assertThat(raw.readHead().status()).isEqualTo(200);
            isLetGo(door);
        }
    }

    @Test
    void aQuietStreamOfEventsWhoseClientListensGoesOn() throws Exception {
        Handler quiet = exchange -> {
            ServerSentEvents events = exchange.serverSentEvents();
            for (int i = 0; i < 25; i++) {
                exchange.await(() -> {
                    Thread.sleep(QUIET); // the pace of this stream, in all longer than the door waits for a client
                    return true;
                });
                events.comment("still here");
            }
        };
        try (Door door = Door.impatient(Map.of("lines", quiet), QUIET.multipliedBy(20)); RawConnection raw = door.tcp()) {
            raw.send("GET /v1/lines HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            assertThat(raw.readToEnd()).endsWith("0\r\n\r\n");
        }
    }

    private void isLetGo(Door door) {
        await().atMost(LONG).until(() -> ended.get() == 1);
        await().atMost(LONG).until(() -> door.front.openConnections() == 0);
        assertThat(sent.get()).as("bytes that were held for it").isBetween(1L, MOST_BYTES);
    }
}
