package dev.sandglass.client.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class WebSocketTest {
    private static final int FIN = 0x80;

    @Test
    void messagesOfEveryLengthComeWhole() throws IOException {
        for (int length : new int[] {0, 1, 125, 126, 127, 65_535, 65_536, 1 << 20}) {
            byte[] payload = new byte[length];
            new Random(length).nextBytes(payload);
            WebSocket socket = socket(frame(FIN | 2, payload), 1000);
            socket.receive();
            assertThat(Arrays.copyOf(socket.message(), socket.length())).isEqualTo(payload);
        }
    }

    @Test
    void fragmentsAreJoinedAndPingsBetweenThemAnswered() throws IOException {
        MemoryLine line = line(1, frame(2, bytes("ab")), frame(FIN | 9, bytes("p")), frame(0, bytes("cd")), frame(FIN, bytes("e")));
        WebSocket socket = new WebSocket(line, new LineInput(line));
        socket.receive();
        assertThat(new String(socket.message(), 0, socket.length(), StandardCharsets.UTF_8)).isEqualTo("abcde");
        byte[] pong = line.written.toByteArray();
        assertThat(pong[0]).isEqualTo((byte) (FIN | 10));
        assertThat(unmasked(pong)).isEqualTo(bytes("p"));
    }

    @Test
    void whatIsSentIsMaskedAndCarriesItsKind() throws IOException {
        for (int length : new int[] {0, 124, 125, 65_534, 65_535, 100_000}) {
            MemoryLine line = line(1);
            byte[] payload = new byte[length];
            new Random(length).nextBytes(payload);
            new WebSocket(line, new LineInput(line)).send(3, payload, 0, length);
            byte[] sent = unmasked(line.written.toByteArray());
            assertThat(sent[0]).isEqualTo((byte) 3);
            assertThat(Arrays.copyOfRange(sent, 1, sent.length)).isEqualTo(payload);
        }
    }

    @Test
    void aCloseTellsItsCode() throws IOException {
        WebSocket socket = socket(frame(FIN | 8, new byte[] {0x0f, (byte) 0xa1, 'x'}), 7);
        assertThatThrownBy(socket::receive)
                .isInstanceOfSatisfying(ClosedException.class, closed -> assertThat(closed.code()).isEqualTo(4001))
                .hasMessageContaining("x");
    }

    @Test
    void malformedFramesAreRefused() throws IOException {
        refused(new byte[] {(byte) (FIN | 0x40 | 2), 0}, "reserved");
        refused(new byte[] {(byte) (FIN | 2), (byte) 0x81, 0, 0, 0, 0, 0}, "mask");
        refused(frame(FIN, bytes("a")), "malformed");
        refused(new byte[] {(byte) (FIN | 2), 127, 0, 0, 0, 1, 0, 0, 0, 0}, "more than");
        refused(new byte[] {(byte) (FIN | 2), 127, -1, -1, -1, -1, -1, -1, -1, -1}, "more than");
        refused(new byte[] {9, 0}, "control");
        refused(new byte[] {(byte) (FIN | 9), 126, 0, 126}, "control");
        assertThatThrownBy(socket(new byte[] {(byte) (FIN | 2), 5, 1}, 1)::receive).isInstanceOf(EOFException.class);
    }

    @Test
    void randomBytesEndInAnErrorAndNeverHang() {
        Random random = new Random(42);
        for (int round = 0; round < 2_000; round++) {
            byte[] noise = new byte[random.nextInt(64)];
            random.nextBytes(noise);
            WebSocket socket = socket(noise, 1 + random.nextInt(8));
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100; i++) {
                            socket.receive();
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void theHandshakeIsThatOfTheStandard() {
        assertThat(Handshake.accepts("dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")).isTrue();
        assertThat(Handshake.accepts("dGhlIHNhbXBsZSBub25jZQ==", null)).isFalse();
    }

    private static void refused(byte[] bytes, String why) throws IOException {
        assertThatThrownBy(socket(bytes, 100)::receive).isInstanceOf(IOException.class).hasMessageContaining(why);
    }

    private static WebSocket socket(byte[] incoming, int step) {
        MemoryLine line = new MemoryLine(incoming, step);
        return new WebSocket(line, new LineInput(line));
    }

    private static MemoryLine line(int step, byte[]... frames) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            all.writeBytes(frame);
        }
        return new MemoryLine(all.toByteArray(), step);
    }

    private static byte[] frame(int first, byte[] payload) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(first);
        if (payload.length < 126) {
            frame.write(payload.length);
        } else {
            int bytes = payload.length < 65_536 ? 2 : 8;
            frame.write(bytes == 2 ? 126 : 127);
            for (int i = bytes - 1; i >= 0; i--) {
                frame.write((int) ((long) payload.length >>> (8 * i)));
            }
        }
        frame.writeBytes(payload);
        return frame.toByteArray();
    }

    private static byte[] unmasked(byte[] frame) {
        int size = frame[1] & 0x7f;
        int head = size < 126 ? 2 : size == 126 ? 4 : 10;
        assertThat(frame[1] & 0x80).as("masked").isEqualTo(0x80);
        byte[] payload = new byte[frame.length - head - 4];
        for (int i = 0; i < payload.length; i++) {
            payload[i] = (byte) (frame[head + 4 + i] ^ frame[head + i % 4]);
        }
        return payload;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
