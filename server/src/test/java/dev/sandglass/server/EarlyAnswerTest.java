package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever uploads more than there is room for is told so each time, however the bytes come. */
@OnEveryRuntime
class EarlyAnswerTest {
    private static final int ROUNDS = 4;
    private static final int DISK_MB = 24;
    private static final byte[] TOO_MUCH = new byte[64 << 20];
    private static final Map<String, String> UPLOADS =
            Map.of("/files?path=/workspace/large", "application/octet-stream", "/archive?path=/workspace/tree", "application/x-tar");

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestSandbox small;
    private final byte[] tar = new TarFile().file("large", "x".repeat(TOO_MUCH.length)).end();

    EarlyAnswerTest(String runtime) {
        this.small = SharedDaemon.api().create(SandboxRequest.on(runtime).diskMb(DISK_MB));
    }

    @AfterEach
    void destroy() {
        small.close();
    }

    @Test
    void aClientLibraryIsTold() {
        for (int round = 0; round < ROUNDS; round++) {
            refused(ErrorCode.DISK_FULL, () -> small.files().write("/workspace/large", "", BodyPublishers.ofByteArray(TOO_MUCH)));
            refused(ErrorCode.DISK_FULL, () -> small.files().unpack("/workspace/tree", false, tar));
            makeRoom();
        }
    }

    @Test
    void aClientThatReadsNothingBeforeAllIsSentIsToldAndNothingIsLeftOfIt() throws IOException {
        upload(tcp(), "/files?path=/workspace/large", TOO_MUCH);
        Census before = Eventually.get(this::census, census -> held(census).isEmpty());
        for (int round = 0; round < ROUNDS; round++) {
            for (SocketAddress address : new SocketAddress[] {tcp(), UnixDomainSocketAddress.of(daemon.run().resolve("sandglass.sock"))}) {
                for (Map.Entry<String, String> upload : UPLOADS.entrySet()) {
                    byte[] body = upload.getValue().equals("application/x-tar") ? tar : TOO_MUCH;
                    assertThat(upload(address, upload.getKey(), body).code()).as("%s %s", address, upload).isEqualTo("disk_full");
                }
            }
            makeRoom();
        }
        assertThat(Eventually.get(() -> held(before), List::isEmpty)).isEmpty();
    }

    private SocketAddress tcp() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), daemon.caller().port());
    }

    private void makeRoom() {
        assertThat(small.output("rm -rf /workspace/large /workspace/tree; echo fine > /workspace/file; cat /workspace/file")).isEqualTo("fine");
    }

    private Problem upload(SocketAddress address, String path, byte[] body) throws IOException {
        try (SocketChannel channel = SocketChannel.open(address)) {
            String head = "PUT " + small.path() + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: " + daemon.caller().authorization()
                    + "\r\nContent-Type: " + UPLOADS.get(path) + "\r\nContent-Length: " + body.length + "\r\n\r\n";
            channel.write(StandardCharsets.US_ASCII.encode(head));
            for (ByteBuffer rest = ByteBuffer.wrap(body); rest.hasRemaining(); ) {
                channel.write(rest);
            }
            String answer = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
            return Json.read(Problem.class, answer.substring(answer.indexOf("\r\n\r\n") + 4).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** What the daemon itself holds beyond that; a sandbox has processes as it likes. */
    private List<String> held(Census before) {
        return census().beyond(before).keySet().stream().filter(what -> what.startsWith("descriptor ") || what.startsWith("thread ")).toList();
    }

    private Census census() {
        try {
            return Census.of(daemon);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
