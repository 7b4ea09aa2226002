package dev.sandglass.network.pair;

import dev.sandglass.linux.NetworkNamespace;
import dev.sandglass.linux.TransparentListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;

/**
 * The sockets of a daemon in the gateway's namespace of a pair. Without them every connection of the sandbox is refused by the kernel.
 *
 * @param connections accepts what goes anywhere; the local address of a connection is where it was meant to go
 * @param questions what is asked of the resolver
 */
public record Gate(Pair pair, ServerSocketChannel connections, DatagramChannel questions) implements AutoCloseable {
    private static final int DNS = 53;

    static Gate open(Pair pair) throws IOException {
        return NetworkNamespace.call(pair.gateway(), () -> {
            ServerSocketChannel connections = TransparentListener.open(Pair.EVERY_PORT);
            try {
                return new Gate(pair, connections, resolver());
            } catch (IOException | RuntimeException problem) {
                connections.close();
                throw problem;
            }
        });
    }

    private static DatagramChannel resolver() throws IOException {
        DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
        try {
            return channel.bind(new InetSocketAddress(Pair.GATEWAY, DNS));
        } catch (IOException | RuntimeException problem) {
            channel.close();
            throw problem;
        }
    }

    @Override
    public void close() throws IOException {
        try (questions) {
            connections.close();
        }
    }
}
