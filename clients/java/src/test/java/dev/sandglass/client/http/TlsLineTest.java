package dev.sandglass.client.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A line over TLS is as good as one without. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TlsLineTest {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final byte[] REFUSAL = "HTTP/1.1 507 Full\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno".getBytes(StandardCharsets.UTF_8);

    @TempDir
    static Path directory;

    private static SSLContext tls;

    private SSLServerSocket server;
    private final CountDownLatch mayAnswer = new CountDownLatch(1);

    private interface Service {
        void serve(InputStream in, OutputStream out) throws Exception;
    }

    @BeforeAll
    static void makeACertificate() throws Exception {
        Path file = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/keytool").toString(), "-genkeypair", "-keyalg", "EC", "-dname", "CN=localhost",
                        "-ext", "san=dns:localhost", "-storepass", new String(PASSWORD), "-keystore", file.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("mykey"));
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        TrustManagerFactory others = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        others.init(trusted);
        tls = SSLContext.getInstance("TLS");
        tls.init(own.getKeyManagers(), others.getTrustManagers(), null);
    }

    @BeforeEach
    void listen() throws IOException {
        server = (SSLServerSocket) tls.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    /** The server goes on reading: whoever does not look for its answer sends all of it. */
    @Test
    void whoStillSendsHearsWhyItIsRefused() throws Exception {
        serve((in, out) -> {
            in.readNBytes(200_000);
            out.write(REFUSAL);
            out.flush();
            in.transferTo(OutputStream.nullOutputStream());
        });
        try (Connection connection = new Connection("localhost", line("localhost"), 60_000)) {
            Response response = connection.exchange(Request.of("PUT", "/a").with(new Large()));
            assertThat(response.status()).isEqualTo(507);
            assertThat(response.bytes(10)).asString().isEqualTo("no");
            assertThat(connection.reusable()).isFalse();
        }
    }

    private static final class Large implements Body {
        @Override
        public String contentType() {
            return "application/octet-stream";
        }

        @Override
        public long length() {
            return -1;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            for (int sent = 0; sent < 256 << 20; sent += 65_536) {
                out.write(new byte[65_536]);
            }
            throw new AssertionError("the answer was not looked for");
        }
    }

    /** Not even for the server's session tickets, which come unasked, or for the rest of a record. */
    @Test
    void whatIsNotThereIsNotWaitedFor() throws Exception {
        byte[] large = new byte[300_000];
        Arrays.fill(large, (byte) 'x');
        serve((in, out) -> {
            in.read();
            mayAnswer.await();
            out.write(large);
            out.flush();
            in.read();
        });
        try (Line line = line("localhost")) {
            byte[] buffer = new byte[65_536];
            line.write(new byte[1], 0, 1);
            for (int i = 0; i < 100; i++) {
                assertThat(line.readNow(buffer, 0, buffer.length)).isZero();
            }
            mayAnswer.countDown();
            for (int seen = 0; seen < large.length; ) {
                int count = line.readNow(buffer, 0, buffer.length);
                assertThat(count).isNotNegative();
                assertThat(Arrays.equals(buffer, 0, count, large, 0, count)).isTrue();
                seen += count;
            }
        }
    }

    @Test
    void aCertificateOfAnotherHostIsRefused() {
        serve((in, _) -> in.read());
        assertThatThrownBy(() -> line("127.0.0.1")).isInstanceOf(SSLException.class);
    }

    private Line line(String host) throws IOException {
        return new TlsLine(tls.getSocketFactory(), host, server.getLocalPort(), 10_000);
    }

    private void serve(Service service) {
        Thread.ofVirtual().start(() -> {
            try (SSLSocket socket = (SSLSocket) server.accept()) {
                service.serve(socket.getInputStream(), socket.getOutputStream());
            } catch (Exception theClientLeft) {
                return;
            }
        });
    }
}
