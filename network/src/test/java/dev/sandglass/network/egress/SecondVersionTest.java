package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.network.intercept.WorldAuthority;
import dev.sandglass.wire.NetworkAttempt;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.hpack.HpackDecoder;
import org.eclipse.jetty.http2.hpack.HpackException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of HTTP/2 whose heads are too large or cannot be read are answered with 400 like others, and the connection ends. */
class SecondVersionTest extends GatewayFixture {
    private static final String ADDRESS = "203.0.113.10";
    private static final String NAME = "api.example.org";

    @BeforeEach
    void serve() throws IOException {
        world.name(NAME, ADDRESS);
        world.https(ADDRESS, 443, NAME);
        change(allowing("allow api.example.org:443 GET /"));
        resolve(NAME);
    }

    private NetworkAttempt only() {
        await().until(() -> !journeys.isEmpty());
        assertThat(journeys).hasSize(1);
        return journeys.element().toWire();
    }

    private Process curl(String... options) throws IOException {
        Path trusted = Files.writeString(directory.resolve("inside.pem"), authority.certificate());
        List<String> words = new ArrayList<>(List.of("nsenter", "--net=" + gate.pair().inside(), "curl", "-sS", "-i", "--http2", "--max-time", "60", "--cacert", trusted.toString(), "--resolve", NAME + ":443:" + ADDRESS, "https://" + NAME + "/"));
        words.addAll(List.of(options));
        return new ProcessBuilder(words).redirectErrorStream(true).start();
    }

    /** There the library would end the connection without a word. */
    @ParameterizedTest
    @ValueSource(ints = {33_000, 60_000})
    void aHeadThatIsTooLargeIsAnsweredInHttp2Too(int length) throws Exception {
        Process curl = curl("-H", "X-Large: " + "a".repeat(length));
        assertThat(new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).startsWith("HTTP/2 400").contains("32 KiB").contains("malformed_request");
        assertThat(curl.waitFor()).isZero();
        assertThat(only().status()).isEqualTo(400);
        assertThat(new String(curl().getInputStream().readAllBytes(), StandardCharsets.UTF_8)).as("the next").startsWith("HTTP/2 200");
    }

    /** Clients of good faith keep to the size that they are told, so these are made by hand. */
    static Stream<Arguments> heads() {
        byte[] large = new byte[4000];
        Arrays.fill(large, (byte) 'a');
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        bomb.writeBytes(new byte[] {0x40, 1, 'x', 0x7f, (byte) 0xa1, 0x1e}); // a field of 4000 bytes that is to be remembered
        bomb.writeBytes(large);
        for (int again = 0; again < 100; again++) {
            bomb.write(0xbe);
        }
        byte[] piece = new byte[16 << 10];
        return Stream.of(
                Arguments.of("pieces without end", List.of(frame(1, 0, 1, piece), frame(9, 0, 1, piece), frame(9, 0, 1, piece), frame(9, 0, 1, piece))),
                Arguments.of("little that becomes much", List.of(frame(1, 5, 1, bomb.toByteArray()))),
                Arguments.of("fields that nobody has told", List.of(frame(1, 5, 1, new byte[] {(byte) 0xff, (byte) 0x80, 1}))),
                Arguments.of("a frame that is too long", List.of(frame(1, 5, 1, new byte[20 << 10]))));
    }

    private static byte[] frame(int type, int flags, int stream, byte[] body) {
        return ByteBuffer.allocate(9 + body.length).put((byte) (body.length >> 16)).putShort((short) body.length).put((byte) type).put((byte) flags).putInt(stream).put(body).array();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("heads")
    void aHeadThatCannotBeReadIsAnsweredAndTheConnectionEnds(String what, List<byte[]> frames) throws IOException {
        List<String> answer = second(frames);
        assertThat(answer).as(what).containsSubsequence("headers of 1: 400", "data of 1", "goodbye").endsWith("end");
        assertThat(only().status()).isEqualTo(400);
        assertThat(only().why()).startsWith("malformed: HTTP/2").contains("32 KiB");
    }

    /** There is no request that could be answered. */
    @Test
    void whatElseCannotBeReadOfHttp2EndsTheConnectionAndIsTold() throws IOException {
        assertThat(second(List.of(frame(6, 0, 0, new byte[7])))).as("a ping of another length").contains("goodbye").noneMatch(each -> each.startsWith("headers")).endsWith("end");
        assertThat(only().why()).startsWith("malformed: HTTP/2");
    }

    /** What comes back of frames that are sent, until the connection ends. */
    private List<String> second(List<byte[]> frames) throws IOException {
        try (SocketChannel channel = connect(ADDRESS, 443);
                SSLSocket socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), NAME, 443, true)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            OutputStream out = socket.getOutputStream();
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(frame(4, 0, 0, new byte[0]));
            for (byte[] each : frames) {
                out.write(each);
            }
            out.flush();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            List<String> told = new ArrayList<>();
            try {
                while (true) {
                    told.add(frame(in));
                }
            } catch (EOFException end) {
                told.add("end");
            }
            return told;
        }
    }

    private static String frame(DataInputStream in) throws IOException {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        in.readUnsignedByte();
        int stream = in.readInt();
        byte[] body = in.readNBytes(length);
        return switch (type) {
            case 0 -> "data of " + stream;
            case 1 -> "headers of " + stream + ": " + status(body);
            case 7 -> "goodbye";
            default -> "another frame";
        };
    }

    private static int status(byte[] head) throws IOException {
        try {
            return ((MetaData.Response) new HpackDecoder(8192, System::nanoTime).decode(ByteBuffer.wrap(head))).getStatus();
        } catch (HpackException problem) {
            throw new IOException(problem);
        }
    }
}
