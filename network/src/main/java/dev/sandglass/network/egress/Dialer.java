package dev.sandglass.network.egress;

import dev.sandglass.linux.NetworkNamespace;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Opens connections to the world for sandboxes. Stateless.
 *
 * @param namespace where it opens them, if not in the network of the daemon
 * @param patience for a connection to come about
 */
public record Dialer(Optional<Path> namespace, Duration patience) {
    /** A blocking channel that is connected; to be called in a virtual thread. */
    SocketChannel dial(Inet4Address address, int port) throws IOException {
        SocketChannel channel = open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.socket().connect(new InetSocketAddress(address, port), (int) patience.toMillis());
            return channel;
        } catch (SocketTimeoutException late) {
            channel.close();
            throw new IOException(address.getHostAddress() + ":" + port + " has not answered within " + patience.toSeconds() + " s", late);
        } catch (IOException | RuntimeException problem) {
            channel.close();
            throw problem;
        }
    }

    /** A channel that is not connected yet. */
    SocketChannel open() throws IOException {
        return namespace.isPresent()
                ? NetworkNamespace.call(namespace.get(), () -> SocketChannel.open(StandardProtocolFamily.INET))
                : SocketChannel.open(StandardProtocolFamily.INET);
    }
}
