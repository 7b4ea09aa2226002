package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both listeners open, bear only so much, and close in good order. */
class FrontDoorTest {
    @TempDir
    private Path directory;

    @Test
    void theSocketIsPrivateAndGoneAfterTheStop() throws IOException {
        Path socket;
        try (Door door = Door.open(Map.of("getItem", Exchange::answerNothing))) {
            socket = door.socket;
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket))).isEqualTo("rw-------");
            try (RawConnection unix = door.unix()) {
                unix.send("GET /v1/items/a HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
                assertThat(unix.readHead().status()).isEqualTo(204);
            }
        }
        assertThat(socket).doesNotExist();
    }

    @Test
    void aStaleSocketIsReplacedAndALivingOneIsNot() throws IOException {
        Path path = directory.resolve("s");
        try (ServerSocketChannel living = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            living.bind(UnixDomainSocketAddress.of(path));
            assertThatThrownBy(() -> SocketFile.claim(path)).hasMessageContaining("another daemon");
        }
        assertThat(path).as("a socket that nobody listens on").exists();
        SocketFile file = SocketFile.claim(path);
        try (ServerSocketChannel own = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            own.bind(UnixDomainSocketAddress.of(file.bindPath()));
            file.publish();
            assertThatThrownBy(() -> SocketFile.claim(path)).hasMessageContaining("another daemon");
        }
        Files.delete(path);
        Files.writeString(path, "precious");
        assertThatThrownBy(() -> SocketFile.claim(path)).hasMessageContaining("no socket");
        assertThat(path).hasContent("precious");
    }

    @Test
    void aTakenPortIsToldAndLeavesNothingBehind() throws IOException {
        try (Door door = Door.open(Map.of())) {
            HttpSettings settings = HttpSettings.at(directory.resolve("s")).withPort(door.front.port());
            FrontDoor second = new FrontDoor(settings, new Router(List.of(), Map.of()), Bearers.ofOwner(door.token), new Traffic());
            assertThatThrownBy(second::start).isInstanceOf(SandglassException.class).hasMessageContaining("127.0.0.1:" + door.front.port());
            try (var left = Files.list(directory)) {
                assertThat(left).isEmpty();
            }
        }
    }

    @Test
    void oneConnectionTooManyIsToldSo() throws IOException {
        try (Door door = Door.open(Map.of("getItem", Exchange::answerNothing), 3)) {
            String request = "GET /v1/items/a HTTP/1.1\r\n" + door.goodHeaders() + "\r\n";
            List<RawConnection> held = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                RawConnection connection = i == 1 ? door.unix() : door.tcp();
                assertThat(connection.send(request).readHead().status()).isEqualTo(204);
                held.add(connection);
            }
            try (RawConnection fourth = door.tcp()) {
                RawConnection.Answer answer = fourth.send(request).readAnswer();
                assertThat(answer.status()).isEqualTo(429);
                assertThat(answer.problem().code()).isEqualTo("limit_reached");
                assertThat(answer.headers()).containsEntry("retry-after", "1");
                assertThat(fourth.isClosedByPeer()).isTrue();
            }
            assertThat(held.getFirst().send(request).readHead().status()).as("those inside go on").isEqualTo(204);
            held.removeLast().close();
            await().atMost(Duration.ofSeconds(5)).until(() -> door.front.openConnections() == 2);
            try (RawConnection next = door.tcp()) {
                assertThat(next.send(request).readHead().status()).isEqualTo(204);
            }
            for (RawConnection connection : held) {
                connection.close();
            }
            await().atMost(Duration.ofSeconds(5)).until(() -> door.front.openConnections() == 0);
        }
    }

    @Test
    void theStopEndsWaitsLetsWorkFinishAndRefusesTheRest() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        Handler work = exchange -> {
            working.countDown();
            finish.await(10, TimeUnit.SECONDS);
            exchange.answerNothing();
        };
        Handler wait = exchange -> exchange.await(() -> new CountDownLatch(1).await(1, TimeUnit.HOURS));
        Handler stream = exchange -> {
            exchange.events();
            exchange.await(() -> new CountDownLatch(1).await(1, TimeUnit.HOURS));
        };
        try (Door door = Door.open(Map.of("getItem", work, "getBytes", wait, "lines", stream));
                RawConnection worker = door.tcp();
                RawConnection waiter = door.tcp();
                RawConnection reader = door.tcp();
                RawConnection late = door.tcp()) {
            worker.send("GET /v1/items/a HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            waiter.send("GET /v1/bytes HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            reader.send("GET /v1/lines HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            assertThat(reader.readHead().status()).isEqualTo(200);
            assertThat(working.await(10, TimeUnit.SECONDS)).isTrue();
            Thread stop = Thread.ofVirtual().start(() -> stop(door));
            assertThat(reader.isClosedByPeer()).as("a stream breaks off").isTrue();
            assertThat(waiter.readAnswer().problem().code()).isEqualTo("shutting_down");
            late.send("GET /v1/items/a HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            assertThat(late.readAnswer().problem().code()).isEqualTo("shutting_down");
            finish.countDown();
            assertThat(worker.readHead().status()).as("work that was begun is finished").isEqualTo(204);
            stop.join();
        }
    }

    private static void stop(Door door) {
        try {
            door.front.stop(Duration.ofSeconds(10));
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
