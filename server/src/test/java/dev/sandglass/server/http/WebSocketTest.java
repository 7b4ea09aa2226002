package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** WebSockets carry binary messages both ways, one at a time, and always end. */
class WebSocketTest {
    private static final Handler ECHO = exchange -> exchange.upgrade(() -> new Talk(socket -> {
        while (true) {
            byte[] message = socket.receive();
            if (message[0] == 9) {
                socket.close(4001, "enough");
                return;
            }
            socket.send(message[0], Arrays.copyOfRange(message, 1, message.length));
        }
    }));

    @Test
    void messagesComeBack() throws Exception {
        try (Door door = Door.open(Map.of("socket", ECHO))) {
            Client client = new Client();
            var socket = connect(door, client);
            for (int size : new int[] {1, 2, 70_000, 1 << 20}) {
                byte[] message = new byte[size];
                Arrays.fill(message, (byte) size);
                message[0] = 1;
                socket.sendBinary(ByteBuffer.wrap(message), true).join();
                assertThat(client.message()).isEqualTo(message);
            }
            socket.sendBinary(ByteBuffer.wrap(new byte[] {9}), true).join();
            assertThat(client.closed()).isEqualTo("4001 enough");
            await().atMost(Duration.ofSeconds(5)).until(() -> door.front.openConnections() == 0);
        }
    }

    @Test
    void aMessageThatIsTooLargeAndATextEndIt() throws Exception {
        try (Door door = Door.open(Map.of("socket", ECHO))) {
            Client large = new Client();
            connect(door, large).sendBinary(ByteBuffer.allocate((1 << 20) + 1), true);
            assertThat(large.closed()).startsWith("1009");
            Client text = new Client();
            connect(door, text).sendText("hello", true);
            assertThat(text.closed()).startsWith("1003");
            await().atMost(Duration.ofSeconds(10)).until(() -> door.front.openConnections() == 0);
        }
    }

    @Test
    void theConversationEndsWhenTheClientLeavesOrDies() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        Handler quiet = exchange -> exchange.upgrade(
                () -> new Talk(socket -> socket.await(() -> new CountDownLatch(1).await(1, TimeUnit.HOURS)), closed));
        Handler listening = exchange -> exchange.upgrade(() -> new Talk(WebSocket::receive, closed));
        try (Door door = Door.open(Map.of("socket", listening))) {
            connect(door, new Client()).sendClose(1000, "bye").join();
            await().atMost(Duration.ofSeconds(5)).untilAtomic(closed, org.hamcrest.Matchers.is(1));
            connect(door, new Client()).abort();
            await().atMost(Duration.ofSeconds(5)).untilAtomic(closed, org.hamcrest.Matchers.is(2));
        }
        try (Door door = Door.open(Map.of("socket", quiet))) {
            Client client = new Client();
            connect(door, client);
            door.front.stop(Duration.ofSeconds(10));
            assertThat(client.closed()).isEqualTo("1001 shutting_down");
            assertThat(closed).hasValue(3);
        }
    }

    @Test
    void aClientThatDoesNotReadHoldsTheSenderUp() throws Exception {
        AtomicLong sent = new AtomicLong();
        Handler endless = exchange -> exchange.upgrade(() -> new Talk(socket -> {
            while (true) {
                socket.send(1, new byte[1 << 16]);
                sent.incrementAndGet();
            }
        }));
        try (Door door = Door.open(Map.of("socket", endless)); RawConnection raw = door.tcp()) {
            raw.send(handshake(door, "13"));
            assertThat(raw.readHead().status()).isEqualTo(101);
            Standstill.of(sent);
            assertThat(sent.get()).isLessThan(1000);
        }
    }

    @Test
    void whatIsNoHandshakeAndWhatIsRefusedGetOrdinaryProblems() throws Exception {
        Handler refusing = exchange -> exchange.upgrade(() -> {
            throw new SandglassException(ErrorCode.COMMAND_NOT_FOUND, "There is no such command.", "List them.");
        });
        try (Door door = Door.open(Map.of("socket", refusing)); RawConnection raw = door.tcp()) {
            raw.send("GET /v1/socket HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            assertThat(raw.readAnswer().problem().code()).isEqualTo("invalid_request");
            raw.send(handshake(door, "12"));
            assertThat(raw.readAnswer().problem().code()).isEqualTo("invalid_request");
            raw.send(handshake(door, "13"));
            RawConnection.Answer answer = raw.readAnswer();
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.problem().code()).isEqualTo("command_not_found");
        }
    }

    @Test
    void aForeignPageIsRefused() throws Exception {
        try (Door door = Door.open(Map.of("socket", ECHO)); RawConnection raw = door.tcp()) {
            raw.send(handshake(door, "13").replace("\r\n\r\n", "\r\nOrigin: http://evil.example\r\n\r\n"));
            assertThat(raw.readAnswer().problem().code()).isEqualTo("forbidden_origin");
        }
    }

    @Test
    void compressionIsNotOffered() throws Exception {
        try (Door door = Door.open(Map.of("socket", ECHO)); RawConnection raw = door.unix()) {
            raw.send(handshake(door, "13").replace("\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"));
            RawConnection.Answer answer = raw.readHead();
            assertThat(answer.status()).isEqualTo(101);
            assertThat(answer.headers()).doesNotContainKey("sec-websocket-extensions");
        }
    }

    static String handshake(Door door, String version) {
        return "GET /v1/socket HTTP/1.1\r\n" + door.goodHeaders()
                + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: "
                + version + "\r\n\r\n";
    }

    private static java.net.http.WebSocket connect(Door door, Client client) {
        return door.client
                .newWebSocketBuilder()
                .header("Authorization", "Bearer " + door.token.text())
                .buildAsync(URI.create("ws://127.0.0.1:" + door.front.port() + "/v1/socket"), client)
                .join();
    }

    /** What a conversation does. */
    private interface Act {
        void on(WebSocket socket) throws IOException, InterruptedException;
    }

    private record Talk(Act act, AtomicInteger closed) implements Conversation {
        Talk(Act act) {
            this(act, new AtomicInteger());
        }

        @Override
        public void run(WebSocket socket) throws IOException, InterruptedException {
            act.on(socket);
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    /** Collects messages and the end. */
    private static final class Client implements java.net.http.WebSocket.Listener {
        private final java.util.concurrent.BlockingQueue<byte[]> messages = new java.util.concurrent.LinkedBlockingQueue<>();
        private final CompletableFuture<String> end = new CompletableFuture<>();
        private final java.io.ByteArrayOutputStream parts = new java.io.ByteArrayOutputStream();

        @Override
        public CompletableFuture<?> onBinary(java.net.http.WebSocket socket, ByteBuffer data, boolean last) {
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            parts.writeBytes(bytes);
            if (last) {
                messages.add(parts.toByteArray());
                parts.reset();
            }
            socket.request(1);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<?> onClose(java.net.http.WebSocket socket, int code, String reason) {
            end.complete((code + " " + reason).strip());
            return CompletableFuture.completedFuture(null);
        }

        byte[] message() throws InterruptedException {
            byte[] message = messages.poll(10, TimeUnit.SECONDS);
            assertThat(message).as("a message").isNotNull();
            return message;
        }

        String closed() throws InterruptedException, ExecutionException, TimeoutException {
            return end.get(10, TimeUnit.SECONDS);
        }
    }
}
