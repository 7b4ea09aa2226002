package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Health;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Bodies are streams: never held in memory, held up by a slow side, and never whole when they are not. */
class StreamingTest {
    private static final long LARGE = 300L << 20;

    @Test
    void largeBodiesPassThrough() throws IOException, InterruptedException {
        Handler take = exchange ->
                exchange.answer(200, new Health(Long.toString(exchange.body().transferTo(OutputStream.nullOutputStream()))));
        Handler give = exchange -> new Zeros(LARGE).transferTo(exchange.stream("application/octet-stream", OptionalLong.of(LARGE)));
        try (Door door = Door.open(Map.of("postBytes", take, "getBytes", give))) {
            HttpRequest upload = door.request("/v1/bytes")
                    .header("Content-Type", "application/octet-stream")
                    .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new Zeros(LARGE)))
                    .build();
            assertThat(door.client.send(upload, HttpResponse.BodyHandlers.ofString()).body()).contains(Long.toString(LARGE));
            HttpResponse<InputStream> answer = door.client.send(door.request("/v1/bytes").build(), HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                assertThat(body.transferTo(OutputStream.nullOutputStream())).isEqualTo(LARGE);
            }
        }
    }

    @Test
    void aReaderThatStopsHoldsTheHandlerUp() throws IOException {
        AtomicLong written = new AtomicLong();
        Handler endless = exchange -> {
            OutputStream body = exchange.stream("application/octet-stream", OptionalLong.empty());
            while (true) {
                body.write(new byte[1 << 16]);
                written.addAndGet(1 << 16);
            }
        };
        try (Door door = Door.open(Map.of("getBytes", endless)); RawConnection raw = door.tcp()) {
            raw.send("GET /v1/bytes HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            raw.readHead();
            Standstill.of(written);
            assertThat(written.get()).isLessThan(64L << 20);
        }
    }

    @Test
    void aHandlerThatStopsReadingHoldsTheSenderUp() throws IOException, InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        Handler lazy = exchange -> {
            InputStream body = exchange.body();
            assertThat(body.read()).isZero();
            exchange.await(() -> release.await(90, TimeUnit.SECONDS));
            exchange.answer(200, new Health(Long.toString(body.transferTo(OutputStream.nullOutputStream()))));
        };
        try (Door door = Door.open(Map.of("postBytes", lazy)); RawConnection raw = door.tcp()) {
            int length = 64 << 20;
            raw.send("POST /v1/bytes HTTP/1.1\r\n" + door.goodHeaders() + "Content-Type: application/octet-stream\r\nContent-Length: "
                    + length + "\r\n\r\n");
            AtomicLong sent = new AtomicLong();
            Thread sender = Thread.ofVirtual().start(() -> send(raw, length, sent));
            Standstill.of(sent);
            assertThat(sent.get()).isLessThan(length);
            release.countDown();
            assertThat(raw.readAnswer().body()).contains(Integer.toString(length - 1));
            sender.join();
        }
    }

    @Test
    void aFailureAfterTheHeadBreaksTheConnectionInsteadOfEndingTheBody() throws IOException {
        Handler chunked = exchange -> {
            try (OutputStream body = exchange.stream("application/octet-stream", OptionalLong.empty())) {
                body.write("part".getBytes(StandardCharsets.UTF_8));
                throw new SandglassException(ErrorCode.GUEST_PROTOCOL, "too late", "to tell");
            }
        };
        try (Door door = Door.open(Map.of("getBytes", chunked)); RawConnection raw = door.tcp()) {
            raw.send("GET /v1/bytes HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            assertThat(raw.readToEnd()).contains("part").doesNotContain("\r\n0\r\n").doesNotContain("too late");
        }
    }

    @Test
    void aBodyShorterThanPromisedBreaksTheConnection() throws IOException {
        Handler shortened = exchange -> exchange.stream("application/octet-stream", OptionalLong.of(100)).write(new byte[40]);
        try (Door door = Door.open(Map.of("getBytes", shortened)); RawConnection raw = door.tcp()) {
            raw.send("GET /v1/bytes HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            assertThat(raw.readHead().headers()).containsEntry("content-length", "100");
            assertThat(raw.readToEnd().replace("<reset>", "")).hasSizeLessThanOrEqualTo(40);
        }
    }

    @Test
    void anUnforeseenFailureIsInternalAndTellsNothing() throws IOException, InterruptedException {
        Handler broken = exchange -> {
            throw new IllegalStateException("a secret of the inside");
        };
        try (Door door = Door.open(Map.of("getBytes", broken, "lines", exchange -> {}))) {
            HttpResponse<String> answer = door.get("/v1/bytes");
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body()).contains("internal", "reference").doesNotContain("secret", "Exception");
            assertThat(door.get("/v1/lines").statusCode()).as("a handler that forgets to answer").isEqualTo(500);
        }
    }

    @Test
    void eachLineIsSentAtOnce() throws IOException {
        BlockingQueue<String> source = new LinkedBlockingQueue<>();
        Handler lines = exchange -> {
            EventStream events = exchange.events();
            for (String text = exchange.await(source::take); !text.equals("end"); text = exchange.await(source::take)) {
                events.send(new Health(text));
            }
        };
        try (Door door = Door.open(Map.of("lines", lines)); RawConnection raw = door.tcp()) {
            raw.send("GET /v1/lines HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            assertThat(raw.readHead().headers()).as("the head comes before the first line").containsEntry("content-type", "application/x-ndjson");
            source.add("one");
            raw.readLine();
            assertThat(raw.readLine()).isEqualTo("{\"status\":\"one\"}");
            for (String text : new String[] {"two", "three"}) {
                source.add(text);
                assertThat(raw.readLine()).as("a chunk's end comes with the next one").isEmpty();
                raw.readLine();
                assertThat(raw.readLine()).isEqualTo("{\"status\":\"" + text + "\"}");
            }
            source.add("end");
            assertThat(raw.readToEnd()).isEqualTo("\r\n0\r\n\r\n");
        }
    }

    @Test
    void aStreamEndsWhenItsReaderLeaves() throws IOException, InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        Handler quiet = exchange -> {
            exchange.events();
            begun.countDown();
            try {
                exchange.await(() -> new CountDownLatch(1).await(1, TimeUnit.HOURS));
            } catch (InterruptedException departed) {
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                left.countDown();
                throw departed;
            }
        };
        try (Door door = Door.open(Map.of("lines", quiet))) {
            for (RawConnection raw : new RawConnection[] {door.tcp(), door.unix()}) {
                raw.send("GET /v1/lines HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
                assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
                raw.close();
            }
            assertThat(left.await(5, TimeUnit.SECONDS)).isTrue();
            await().atMost(Duration.ofSeconds(5)).until(() -> door.front.openConnections() == 0);
        }
    }

    private static void send(RawConnection raw, int length, AtomicLong sent) {
        String piece = "\0".repeat(1 << 16);
        try {
            for (int at = 0; at < length; at += piece.length()) {
                raw.send(piece);
                sent.addAndGet(piece.length());
            }
        } catch (IOException closed) {
            sent.set(-1);
        }
    }
}
