package dev.sandglass.bench.network;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Requests of one connection, one after the other. As little of a client as can be: what is measured is the way. Not thread-safe. */
public final class Requests implements AutoCloseable {
    /** A server says nothing for so long at most. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String LENGTH = "content-length:";

    /** Whose certificate it is plays no part here: all servers are threads of this process. */
    private static final X509TrustManager ANYBODY = new X509TrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    };

    private final Socket socket;
    private final byte[] request;
    private final InputStream in;

    private Requests(Socket socket, String host, String path) throws IOException {
        this.socket = socket;
        this.request = ("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.connect(address, (int) PATIENCE.toMillis());
            return socket;
        } catch (IOException | RuntimeException problem) {
            socket.close();
            throw problem;
        }
    }

    /** By HTTP. */
    static Requests plain(Socket socket, String host, String path) throws IOException {
        try {
            return new Requests(socket, host, path);
        } catch (IOException problem) {
            socket.close();
            throw problem;
        }
    }

    /** By HTTPS, of those whose certificate is made for a run. */
    static Requests encrypted(Socket plain) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {ANYBODY}, null);
            SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, Servers.ADDRESS, plain.getPort(), true);
            socket.startHandshake();
            return new Requests(socket, Servers.ADDRESS, "/");
        } catch (GeneralSecurityException problem) {
            plain.close();
            throw new IOException(problem);
        } catch (IOException problem) {
            plain.close();
            throw problem;
        }
    }

    /** Asks once, and takes the whole answer. */
    public void ask() throws IOException {
        socket.getOutputStream().write(request);
        String first = line();
        if (!first.startsWith("HTTP/1.1 200 ")) {
            throw new IOException("a server answered with " + first);
        }
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
                length = Integer.parseInt(header.substring(LENGTH.length()).strip());
            }
        }
        if (length != Servers.ANSWER_BYTES || in.readNBytes(length).length != length) {
            throw new IOException("an answer of " + length + " bytes (expected: " + Servers.ANSWER_BYTES + ")");
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the connection ended");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
