package dev.sandglass.network.dns;

import dev.sandglass.linux.NetworkNamespace;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Opens sockets that are not bound or connected yet: a socket stays in the network namespace in which it was opened, whoever uses it. */
public interface Sockets {
    /** In the namespace of the caller. */
    Sockets PLAIN = new Sockets() {
        @Override
        public DatagramChannel datagram() throws IOException {
            return DatagramChannel.open();
        }

        @Override
        public SocketChannel stream() throws IOException {
            return SocketChannel.open();
        }
    };

    /** In the namespace that a file names. */
    static Sockets in(Path namespace) {
        return new Sockets() {
            @Override
            public DatagramChannel datagram() throws IOException {
                return NetworkNamespace.call(namespace, PLAIN::datagram);
            }

            @Override
            public SocketChannel stream() throws IOException {
                return NetworkNamespace.call(namespace, PLAIN::stream);
            }
        };
    }

    DatagramChannel datagram() throws IOException;

    SocketChannel stream() throws IOException;
}
