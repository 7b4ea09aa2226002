package dev.sandglass.network.sniff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandglass.engine.network.HostName;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that begins with TLS. */
class TlsWordsTest {
    private static final FirstWords NEED_MORE = new FirstWords.NeedMore();
    private static final int SERVER_NAME = 0;
    private static final int ALPN = 16;
    private static final int ECH = 0xfe0d;

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void namesTheHostAndTheProtocolsThatTheJdkAsksFor(String version) throws Exception {
        assertThat(read(Hellos.ofJdk(version, List.of("Api.Example.com"), List.of("h2", "http/1.1"))))
                .isEqualTo(tls("api.example.com", false, "h2", "http/1.1"));
        assertThat(read(Hellos.ofJdk(version, List.of("example.com"), List.of()))).isEqualTo(tls("example.com", false));
        assertThat(read(Hellos.ofJdk(version, List.of(), List.of("h2")))).isEqualTo(new FirstWords.Tls(Optional.empty(), false, List.of("h2")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3", "-no_ticket"})
    void namesTheHostThatOpensslAsksFor(String option) throws Exception {
        assertThat(read(ofOpenssl(option, "-servername", "example.com", "-alpn", "h2,http/1.1"))).isEqualTo(tls("example.com", false, "h2", "http/1.1"));
        assertThat(read(ofOpenssl(option, "-noservername"))).isEqualTo(new FirstWords.Tls(Optional.empty(), false, List.of()));
    }

    @Test
    void putsTogetherWhatOpensslSendsInPieces() throws Exception {
        String protocols = IntStream.range(0, 50).mapToObj(each -> "protocol-number-" + each).collect(Collectors.joining(","));
        byte[] hello = ofOpenssl("-servername", "example.com", "-max_send_frag", "512", "-alpn", protocols);
        assertThat(ByteBuffer.wrap(hello).getShort(3)).as("length of the first record").isEqualTo((short) 512);
        assertThat(read(hello)).isEqualTo(tls("example.com", false, protocols.split(",")));
    }

    @Test
    void needsMoreAsLongAsTheHelloIsNotWhole() throws Exception {
        byte[] hello = Hellos.ofJdk("TLSv1.3", List.of("example.com"), List.of("h2"));
        for (int piece : new int[] {1, 2, 3, 4, 5, 7, 64, hello.length}) {
            byte[] pieces = Hellos.inPieces(hello, piece);
            for (int length = 0; length < pieces.length; length++) {
                assertThat(read(Arrays.copyOf(pieces, length))).as("%s of %s bytes", length, pieces.length).isEqualTo(NEED_MORE);
            }
            assertThat(read(pieces)).isEqualTo(tls("example.com", false, "h2"));
        }
    }

    @Test
    void leavesAloneWhatFollowsTheHello() throws Exception {
        byte[] hello = Hellos.ofJdk("TLSv1.3", List.of("example.com"), List.of());
        ByteBuffer more = ByteBuffer.allocate(40_000).position(100).put(hello).put((byte) 20).limit(30_000).position(100);
        assertThat(FirstWords.read(more)).isEqualTo(tls("example.com", false));
        assertThat(more.position()).isEqualTo(100);
        assertThat(more.limit()).isEqualTo(30_000);
    }

    @Test
    void saysThatAnotherNameMayBeHidden() {
        assertThat(read(Hellos.with(SERVER_NAME, Hellos.names("public.example.com"), ECH, new byte[40]))).isEqualTo(tls("public.example.com", true));
    }

    @Test
    void readsAHelloWithoutExtensions() {
        ByteBuffer body = ByteBuffer.allocate(41).putShort((short) 0x0303).put(new byte[32]).put((byte) 0);
        body.putShort((short) 2).putShort((short) 0x2f).put((byte) 1).put((byte) 0).flip();
        assertThat(read(Hellos.hello(body))).isEqualTo(new FirstWords.Tls(Optional.empty(), false, List.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", ".", "192.0.2.1", "::1", "[::1]", "127.1", "0x7f.0.0.1", "2130706433", "example.com\0.example.org", "\0", "ex ample.com", "a..b", ".a",
                "b\u00fccher.example", "-a.example", "*.example.com", "example.com:443", "example.com..", "user@example.com"
            })
    void refusesWhatIsNoNameOfAHost(String name) {
        assertThat(read(Hellos.with(SERVER_NAME, Hellos.names(name)))).isInstanceOf(FirstWords.Malformed.class);
    }

    @Test
    void readsOddSpellingsAsTheOneName() {
        assertThat(read(Hellos.with(SERVER_NAME, Hellos.names("EXAMPLE.com.")))).isEqualTo(tls("example.com", false));
    }

    @Test
    void refusesAHelloThatNamesTwoHosts() {
        byte[] name = Hellos.names("example.com");
        assertThat(read(Hellos.with(SERVER_NAME, Hellos.names("example.com", "example.org")))).isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(Hellos.with(SERVER_NAME, name, SERVER_NAME, name))).isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(Hellos.with(SERVER_NAME, Hellos.names()))).isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(Hellos.with(SERVER_NAME, new byte[0]))).isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(Hellos.with(SERVER_NAME, Arrays.copyOf(name, name.length + 1)))).isInstanceOf(FirstWords.Malformed.class);
        byte[] otherType = name.clone();
        otherType[2] = 1;
        assertThat(read(Hellos.with(SERVER_NAME, otherType))).isInstanceOf(FirstWords.Malformed.class);
    }

    @Test
    void refusesProtocolsThatAreNone() {
        for (byte[] content : List.of(new byte[0], new byte[] {0, 0}, new byte[] {0, 1, 0}, new byte[] {0, 2, 2, 'h'}, new byte[] {0, 2, 1, 'h', 'x'})) {
            assertThat(read(Hellos.with(ALPN, content))).isInstanceOf(FirstWords.Malformed.class);
        }
        assertThat(read(Hellos.with(99, new byte[0], 99, new byte[0]))).isInstanceOf(FirstWords.Malformed.class);
    }

    @Test
    void refusesRecordsThatNoClientBeginsWith() throws Exception {
        byte[] hello = Hellos.ofJdk("TLSv1.3", List.of("example.com"), List.of());
        assertThat(read(changed(hello, 3, 0, 4, 0))).as("an empty record").isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(changed(hello, 3, 0x40, 4, 1))).as("a record that is too long").isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(changed(hello, 2, 9))).as("a version that is not there").isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(changed(hello, 5, 2))).as("a ServerHello").isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(changed(hello, 6, 1))).as("a hello that is too long").isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(changed(hello, 8, hello[8] - 1))).as("a hello with something behind it").isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(changed(hello, 8, hello[8] + 1))).as("a hello that is not whole").isEqualTo(NEED_MORE);
        byte[] pieces = Hellos.inPieces(hello, 20);
        assertThat(read(changed(pieces, 25, 21))).as("an alert in between").isInstanceOf(FirstWords.Malformed.class);
    }

    @Test
    void takesOtherBytesForSomethingElse() {
        assertThat(read(new byte[] {22, 2})).isEqualTo(new FirstWords.Other());
        assertThat(read(new byte[] {(byte) 0x80, 46, 1, 3, 1})).as("a hello of SSL 2").isEqualTo(new FirstWords.Other());
    }

    @Test
    void alwaysKnowsWithEnoughBytes() throws Exception {
        byte[] hello = Hellos.ofJdk("TLSv1.3", List.of("example.com"), List.of());
        ByteBuffer tiny = ByteBuffer.allocate(FirstWords.ENOUGH);
        while (tiny.remaining() >= 6) {
            tiny.put(new byte[] {22, 3, 1, 0, 1, (byte) (tiny.position() == 0 ? 1 : 0)});
        }
        assertThat(FirstWords.read(tiny.clear())).isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(Hellos.with(21, new byte[16_384]))).isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(Hellos.with(SERVER_NAME, Hellos.names("example.com"), 21, new byte[16_000]))).isEqualTo(tls("example.com", false));
        assertThat(read(Arrays.copyOf(changed(hello, 7, 0x30), FirstWords.ENOUGH))).isInstanceOf(FirstWords.Malformed.class);
    }

    @Test
    void survivesEveryChangeOfAHello() throws Exception {
        List<byte[]> hellos = new ArrayList<>();
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            byte[] hello = Hellos.ofJdk(version, List.of("example.com"), List.of("h2", "http/1.1"));
            hellos.addAll(List.of(hello, Hellos.inPieces(hello, 50), Hellos.inPieces(hello, 3)));
        }
        Random random = new Random(7);
        for (int round = 0; round < 30_000; round++) {
            byte[] hello = hellos.get(random.nextInt(hellos.size()));
            byte[] changed = Arrays.copyOf(hello, random.nextInt(4) == 0 ? random.nextInt(hello.length * 2) : hello.length);
            for (int changes = random.nextInt(5); changes >= 0 && changed.length > 0; changes--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
            }
            assertThat(read(changed)).isNotNull();
        }
    }

    private static byte[] changed(byte[] bytes, int... indexesAndValues) {
        byte[] changed = bytes.clone();
        for (int index = 0; index < indexesAndValues.length; index += 2) {
            changed[indexesAndValues[index]] = (byte) indexesAndValues[index + 1];
        }
        return changed;
    }

    private static FirstWords read(byte[] bytes) {
        return FirstWords.read(ByteBuffer.wrap(bytes));
    }

    private static FirstWords tls(String name, boolean encrypted, String... protocols) {
        return new FirstWords.Tls(Optional.of(new HostName(name)), encrypted, List.of(protocols));
    }

    /** What the real program sends to a server that then says no more. */
    private static byte[] ofOpenssl(String... options) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/openssl")), "openssl is not installed");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<String> command = new ArrayList<>(List.of("openssl", "s_client", "-connect", "127.0.0.1:" + server.getLocalPort()));
            command.addAll(List.of(options));
            Process openssl = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (Socket client = server.accept()) {
                ByteBuffer said = ByteBuffer.allocate(FirstWords.ENOUGH);
                while (FirstWords.read(said.duplicate().flip()).equals(NEED_MORE)) {
                    int count = client.getInputStream().read(said.array(), said.position(), said.remaining());
                    assertThat(count).as("bytes after %s", StandardCharsets.ISO_8859_1.decode(said.duplicate().flip())).isPositive();
                    said.position(said.position() + count);
                }
                return Arrays.copyOf(said.array(), said.position());
            } finally {
                openssl.destroyForcibly().waitFor();
            }
        }
    }
}
