package dev.sandglass.server.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.EndPoint;

/** Lets TCP tell of a break as well, for clients that take any end of a connection for the end of the body. */
public final class Resets {
    private Resets() {}

    /** The connection is reset when it is closed, so that what was sent is not taken for the whole. */
    public static void onClose(EndPoint end) {
        try {
            if (end.getTransport() instanceof SocketChannel channel && channel.getLocalAddress() instanceof InetSocketAddress) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException alreadyClosed) {
            return; // nothing is left to reset
        }
    }
}
