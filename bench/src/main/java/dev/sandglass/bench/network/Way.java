package dev.sandglass.bench.network;

import dev.sandglass.bench.Rounds;
import dev.sandglass.bench.report.Results.Who;
import dev.sandglass.linux.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

/**
 * From a client to the servers.
 *
 * @param namespace where the client is
 * @param port of the server that speaks HTTPS; the same server whichever port leads to it
 */
public record Way(Who who, Path namespace, int port) implements Rounds.Entrant {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int BUFFER = 256 << 10;

    /** Takes all that the server of streams sends; returns how many bytes that were. */
    public long stream() throws IOException {
        try (SocketChannel connection = NetworkNamespace.call(namespace, () -> SocketChannel.open(new InetSocketAddress(Servers.ADDRESS, Servers.STREAM)))) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            long all = 0;
            int got = 0;
            while (got >= 0) {
                all += got;
                got = connection.read(buffer.clear());
            }
            return all;
        }
    }

    /** A connection for requests. */
    public Requests requests() throws IOException {
        return Requests.on(NetworkNamespace.call(namespace, () -> {
            Socket socket = new Socket();
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.connect(new InetSocketAddress(Servers.ADDRESS, port), (int) PATIENCE.toMillis());
            return socket;
        }));
    }
}
