package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A client that is refused while it still sends sees why, and cannot make the daemon listen for ever. */
class LingeringTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration NEVER = Duration.ofHours(1);
    private static final int PIECE = 1 << 16;
    private static final int LARGE = 32 << 20;
    /** What the kernel may hold for both sides, generously. */
    private static final long KERNEL_BYTES = 32 << 20;

    /** Takes a little, as a disk does that becomes full. */
    private static final Handler FULL = exchange -> {
        exchange.body().readNBytes(PIECE);
        throw new SandglassException(ErrorCode.DISK_FULL, "full", "make room");
    };

    @Test
    void aRawClientThatSendsAllOfItsBodyFirstSeesTheError() throws IOException {
        try (Door door = Door.open(Map.of("postBytes", FULL))) {
            for (int round = 0; round < 20; round++) {
                try (RawConnection raw = round % 2 == 0 ? door.tcp() : door.unix()) {
                    begin(door, raw, LARGE);
                    for (int sent = 0; sent < LARGE; sent += PIECE) {
                        raw.send("x".repeat(PIECE));
                    }
                    RawConnection.Answer answer = raw.readAnswer();
                    assertThat(answer.problem().code()).isEqualTo("disk_full");
                    assertThat(answer.headers()).containsEntry("connection", "close");
                    assertThat(raw.readToEnd()).as("a clean end, no reset").isEmpty();
                }
            }
            isLetGo(door);
        }
    }

    @Test
    void aClientLibrarySeesTheError() throws IOException, InterruptedException {
        byte[] large = new byte[LARGE];
        try (Door door = Door.open(Map.of("postBytes", FULL))) {
            for (int round = 0; round < 20; round++) {
                BodyPublisher body =
                        round % 2 == 0 ? BodyPublishers.ofByteArray(large) : BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large));
                HttpResponse<String> answer = door.client.send(
                        door.request("/v1/bytes").header("Content-Type", "application/octet-stream").POST(body).build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(answer.body()).contains("disk_full");
            }
        }
    }

    @Test
    void whatIsRefusedAtTheGateOrByTheParserIsToldAsWell() throws IOException {
        try (Door door = Door.open(Map.of())) {
            for (int round = 0; round < 10; round++) {
                try (RawConnection stranger = door.tcp(); RawConnection talker = door.tcp()) {
                    stranger.sendHead("POST /v1/bytes HTTP/1.1", "Host: localhost", "Content-Type: application/octet-stream", "Content-Length: " + LARGE);
                    for (int sent = 0; sent < LARGE; sent += PIECE) {
                        stranger.send("x".repeat(PIECE));
                    }
                    assertThat(stranger.readAnswer().problem().code()).isEqualTo("unauthorized");
                    talker.send("GET /v1/items/a HTTP/1.1\r\n" + door.goodHeaders() + "X: ");
                    for (int sent = 0; sent < LARGE; sent += PIECE) {
                        talker.send("x".repeat(PIECE));
                    }
                    assertThat(talker.readAnswer().problem().code()).isEqualTo("too_large");
                }
            }
        }
    }

    @Test
    void aConnectionWhoseRequestIsAllThereGoesOn() throws IOException {
        Handler unread = exchange -> {
            throw new SandglassException(ErrorCode.DISK_FULL, "full", "make room");
        };
        try (Door door = Door.open(Map.of("postBytes", unread)); RawConnection raw = door.tcp()) {
            for (int round = 0; round < 3; round++) {
                raw.send("POST /v1/bytes HTTP/1.1\r\n" + door.goodHeaders() + "Content-Type: application/octet-stream\r\nContent-Length: 4\r\n\r\nbody");
                assertThat(raw.readAnswer().headers()).doesNotContainKey("connection");
            }
            assertThat(door.front.lingeringConnections()).isZero();
        }
    }

    @Test
    void aClientThatNeverStopsSendingIsLetGo() throws IOException {
        LingerBounds bounds = new LingerBounds(LARGE, NEVER, NEVER, 64);
        try (Door door = Door.lingering(Map.of("postBytes", FULL), bounds); RawConnection raw = door.tcp()) {
            begin(door, raw, Long.MAX_VALUE);
            assertThat(sendUntilRefused(raw)).isBetween((long) LARGE, LARGE + KERNEL_BYTES);
            isLetGo(door);
        }
    }

    @Test
    void aClientThatSendsALittleForEverOrStaysSilentIsLetGo() throws IOException {
        LingerBounds slow = new LingerBounds(Long.MAX_VALUE, Duration.ofSeconds(1), NEVER, 64);
        try (Door door = Door.lingering(Map.of("postBytes", FULL), slow); RawConnection raw = door.unix()) {
            begin(door, raw, Long.MAX_VALUE);
            sendUntilRefused(raw);
            isLetGo(door);
        }
        LingerBounds silent = new LingerBounds(Long.MAX_VALUE, NEVER, Duration.ofMillis(500), 64);
        try (Door door = Door.lingering(Map.of("postBytes", FULL), silent); RawConnection raw = door.tcp()) {
            begin(door, raw, Long.MAX_VALUE);
            raw.send("x".repeat(2 * PIECE));
            assertThat(raw.readAnswer().problem().code()).isEqualTo("disk_full");
            isLetGo(door);
        }
    }

    @Test
    void onlySoManyLingerAtOnce() throws IOException {
        LingerBounds two = new LingerBounds(Long.MAX_VALUE, NEVER, NEVER, 2);
        List<RawConnection> clients = new ArrayList<>();
        try (Door door = Door.lingering(Map.of("postBytes", FULL), two)) {
            for (int i = 0; i < 5; i++) {
                RawConnection raw = door.tcp();
                clients.add(raw);
                begin(door, raw, Long.MAX_VALUE);
                raw.send("x".repeat(2 * PIECE));
                raw.readHead();
            }
            await().atMost(LONG).until(() -> door.front.openConnections() == 2);
            assertThat(door.front.lingeringConnections()).isEqualTo(2);
            for (RawConnection raw : clients) {
                raw.close();
            }
            isLetGo(door);
        }
    }

    private static void begin(Door door, RawConnection raw, long length) throws IOException {
        raw.send("POST /v1/bytes HTTP/1.1\r\n" + door.goodHeaders() + "Content-Type: application/octet-stream\r\nContent-Length: " + length + "\r\n\r\n");
    }

    private static long sendUntilRefused(RawConnection raw) {
        String piece = "x".repeat(PIECE);
        for (long sent = 0; ; sent += PIECE) {
            try {
                raw.send(piece);
            } catch (IOException letGo) {
                return sent;
            }
        }
    }

    private static void isLetGo(Door door) {
        await().atMost(LONG).until(() -> door.front.openConnections() == 0 && door.front.lingeringConnections() == 0);
    }
}
