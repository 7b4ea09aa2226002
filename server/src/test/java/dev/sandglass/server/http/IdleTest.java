package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Health;
import dev.sandglass.wire.Signal;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Silence ends a connection that does nothing, and never one on which something is going on. */
@Timeout(120)
class IdleTest {
    private static final Duration IDLE = Duration.ofMillis(400);

    @Test
    void aConnectionThatSaysNothingAndAHeadThatStopsAreClosed() throws IOException {
        try (Door door = Door.open(Map.of(), IDLE); RawConnection silent = door.tcp(); RawConnection half = door.unix()) {
            half.send("GET /v1/items/a HTTP/1.1\r\nHost: loc");
            assertThat(silent.isClosedByPeer()).isTrue();
            assertThat(half.readToEnd()).doesNotContain("HTTP/1.1 2");
        }
    }

    @Test
    void aJsonBodyThatStopsIsRefused() throws IOException {
        Handler signal = exchange -> exchange.answer(200, exchange.json(Signal.class));
        try (Door door = Door.open(Map.of("signal", signal), IDLE); RawConnection raw = door.tcp()) {
            raw.send("POST /v1/signal HTTP/1.1\r\n" + door.goodHeaders() + "Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{");
            assertThat(raw.readAnswer().problem().code()).isEqualTo("malformed_request");
            assertThat(raw.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void longWorkQuietStreamsAndSlowBodiesGoOn() throws IOException, InterruptedException {
        CountDownLatch tooLong = new CountDownLatch(1);
        Handler work = exchange -> {
            tooLong.await();
            exchange.answerNothing();
        };
        Handler quiet = exchange -> {
            EventStream events = exchange.events();
            tooLong.await();
            events.send(new Health("still here"));
        };
        Handler take = exchange -> exchange.answer(200, new Health(Integer.toString(exchange.body().readAllBytes().length)));
        Handler give = exchange -> {
            OutputStream body = exchange.stream("application/octet-stream", OptionalLong.of(32 << 20));
            for (int i = 0; i < 512; i++) {
                body.write(new byte[1 << 16]);
            }
        };
        try (Door door = Door.open(Map.of("getItem", work, "lines", quiet, "postBytes", take, "getBytes", give), IDLE);
                RawConnection working = door.tcp();
                RawConnection reading = door.tcp();
                RawConnection writing = door.tcp();
                RawConnection slow = door.tcp()) {
            working.send("GET /v1/items/a HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            reading.send("GET /v1/lines HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            slow.send("GET /v1/bytes HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            writing.send("POST /v1/bytes HTTP/1.1\r\n" + door.goodHeaders()
                    + "Content-Type: application/octet-stream\r\nContent-Length: 2\r\n\r\na");
            awaitSilenceTooLong(door);
            tooLong.countDown();
            writing.send("b");
            assertThat(writing.readAnswer().body()).contains("2");
            assertThat(working.readHead().status()).isEqualTo(204);
            assertThat(reading.readToEnd()).contains("still here").endsWith("0\r\n\r\n");
            slow.readHead();
            assertThat(slow.readBytes(32 << 20)).hasSize(32 << 20);
        }
    }

    @Test
    void aWebSocketMayBeQuietAndItsReaderSlow() throws IOException, InterruptedException {
        CountDownLatch tooLong = new CountDownLatch(1);
        Handler talk = exchange -> exchange.upgrade(() -> new Conversation() {
            @Override
            public void run(WebSocket socket) throws IOException, InterruptedException {
                tooLong.await();
                for (int i = 0; i < 512; i++) {
                    socket.send(1, new byte[1 << 16]);
                }
            }

            @Override
            public void close() {}
        });
        try (Door door = Door.open(Map.of("socket", talk), IDLE); RawConnection raw = door.tcp()) {
            raw.send(WebSocketTest.handshake(door, "13"));
            assertThat(raw.readHead().status()).isEqualTo(101);
            awaitSilenceTooLong(door);
            tooLong.countDown();
            awaitSilenceTooLong(door);
            assertThat(raw.readBytes(32 << 20)).hasSize(32 << 20);
        }
    }

    /** Comes back when two connections that did nothing, one after the other, were closed: what was silent since was so for too long. */
    private static void awaitSilenceTooLong(Door door) throws IOException {
        for (int i = 0; i < 2; i++) {
            try (RawConnection silent = door.tcp()) {
                assertThat(silent.isClosedByPeer()).isTrue();
            }
        }
    }
}
