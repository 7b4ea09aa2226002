package dev.sandglass.network.dns;

import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;

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

    DatagramChannel datagram() throws IOException;

    SocketChannel stream() throws IOException;
}
