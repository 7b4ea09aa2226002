package dev.sandglass.bench.network;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sandglass.linux.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/** What is asked: a server of streams, and one of small answers behind several ports. They are in a namespace to which every address belongs. */
final class Servers implements AutoCloseable {
    /** One of a network that is for documentation. */
    static final String ADDRESS = "203.0.113.10";
    static final int STREAM = 9000;
    static final int PASSED = 443;
    static final int INSPECTED = 8443;
    static final int ANSWER_BYTES = 100;

    private static final int WAITING = 128;
    private static final int BUFFER = 256 << 10;

    private final ServerSocketChannel streams;
    private final List<HttpServer> answers = new ArrayList<>();

    /** @param bytes that every stream has */
    Servers(Path namespace, SSLContext identity, long bytes) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // else the second half of an answer waits for the acknowledgement of the first
        streams = NetworkNamespace.call(namespace, () -> ServerSocketChannel.open().bind(new InetSocketAddress(STREAM), WAITING));
        try {
            Thread.ofPlatform().daemon().name("streams").start(() -> serve(bytes));
            for (int port : List.of(PASSED, INSPECTED)) {
                HttpsServer server = NetworkNamespace.call(namespace, () -> HttpsServer.create(new InetSocketAddress(port), WAITING));
                answers.add(server);
                server.setHttpsConfigurator(new HttpsConfigurator(identity));
                server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
                server.createContext("/", Servers::answer);
                server.start();
            }
        } catch (IOException | RuntimeException problem) {
            close();
            throw problem;
        }
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(200, ANSWER_BYTES);
            exchange.getResponseBody().write(new byte[ANSWER_BYTES]);
        }
    }

    private void serve(long bytes) {
        while (streams.isOpen()) {
            try {
                SocketChannel connection = streams.accept();
                Thread.ofPlatform().daemon().name("stream").start(() -> send(connection, bytes));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void send(SocketChannel connection, long bytes) {
        try (connection) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            for (long left = bytes; left > 0; ) {
                buffer.clear().limit((int) Math.min(BUFFER, left));
                left -= connection.write(buffer);
            }
        } catch (IOException ended) {
            // by the other side, which will say so
        }
    }

    @Override
    public void close() throws IOException {
        streams.close();
        answers.forEach(each -> each.stop(0));
    }
}
