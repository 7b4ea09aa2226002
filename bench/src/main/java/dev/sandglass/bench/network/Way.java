package dev.sandglass.bench.network;

import dev.sandglass.bench.report.Results.Who;
import dev.sandglass.linux.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * From a client to the servers.
 *
 * @param namespace where the client is
 * @param port of the server that speaks HTTPS; the same server whichever port leads to it
 */
public record Way(Who who, Path namespace, int port) implements Caller {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** For a gigabyte on a slow machine. */
    private static final Duration MOST_OF_A_STREAM = Duration.ofMinutes(5);
    private static final int BUFFER = 256 << 10;

    /** Takes all that the server of streams sends; returns how many bytes that were. */
    public long stream() throws IOException {
        try (SocketChannel connection = NetworkNamespace.call(namespace, Way::toStreams)) {
            // Closed from beside when it takes too long: a time limit of the socket itself would copy every byte once more.
            CompletableFuture<Void> limit = CompletableFuture.runAsync(() -> close(connection), CompletableFuture.delayedExecutor(MOST_OF_A_STREAM.toSeconds(), TimeUnit.SECONDS));
            try {
                return drained(connection);
            } finally {
                limit.cancel(false);
            }
        }
    }

    private static SocketChannel toStreams() throws IOException {
        SocketChannel connection = SocketChannel.open();
        try {
            connection.socket().connect(new InetSocketAddress(Servers.ADDRESS, Servers.STREAM), (int) PATIENCE.toMillis());
            return connection;
        } catch (IOException | RuntimeException problem) {
            connection.close();
            throw problem;
        }
    }

    private static long drained(SocketChannel connection) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        long all = 0;
        int got = 0;
        while (got >= 0) {
            all += got;
            got = connection.read(buffer.clear());
        }
        return all;
    }

    private static void close(SocketChannel connection) {
        try {
            connection.close();
        } catch (IOException alreadyGone) {
            return;
        }
    }

    @Override
    public Requests requests() throws IOException {
        return Requests.encrypted(NetworkNamespace.call(namespace, () -> Requests.connect(new InetSocketAddress(Servers.ADDRESS, port))));
    }
}
