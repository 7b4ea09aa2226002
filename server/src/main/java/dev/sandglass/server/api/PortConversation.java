package dev.sandglass.server.api;

import dev.sandglass.engine.port.PortConnection;
import dev.sandglass.server.http.Conversation;
import dev.sandglass.server.http.WebSocket;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection to a port of a sandbox: what the program sends goes out on one thread, what the client sends comes in on another. */
final class PortConversation implements Conversation {
    private static final int BYTES = 0;
    private static final int END = 3;
    private static final int MOST = 64 << 10;
    private static final byte[] NOTHING = {};
    private static final Logger LOG = LoggerFactory.getLogger(PortConversation.class);

    private final PortConnection connection;
    private final CountDownLatch ended = new CountDownLatch(1);

    PortConversation(PortConnection connection) {
        this.connection = connection;
    }

    @Override
    public void run(WebSocket socket) throws IOException, InterruptedException {
        Thread.ofVirtual().name("port-input").start(() -> takeInput(socket));
        try {
            give(socket);
        } catch (IOException broken) {
            LOG.debug("a connection to port {} of {} broke", connection.port(), connection.sandbox().name(), broken);
            socket.close(WebSocket.SERVER_ERROR, "the connection broke");
        }
    }

    private void give(WebSocket socket) throws IOException, InterruptedException {
        byte[] buffer = new byte[MOST];
        for (int count = read(socket, buffer); count >= 0; count = read(socket, buffer)) {
            socket.send(BYTES, Arrays.copyOf(buffer, count));
        }
        socket.send(END, NOTHING);
        socket.await(() -> {
            ended.await();
            return true;
        });
    }

    private int read(WebSocket socket, byte[] buffer) throws IOException, InterruptedException {
        return socket.await(() -> connection.read(buffer, 0, buffer.length, PortConnection.FOR_EVER));
    }

    @Override
    public void close() {
        connection.close();
    }

    /** Also after the client's last byte, or its goodbye would not be heard. */
    private void takeInput(WebSocket socket) {
        try {
            while (true) {
                take(socket, socket.receive());
            }
        } catch (InterruptedException left) {
            LOG.trace("the client sends no more", left);
        } catch (IOException broken) {
            LOG.debug("port {} of {} takes no more", connection.port(), connection.sandbox().name(), broken);
            cut(socket, WebSocket.SERVER_ERROR, "the connection broke");
        }
    }

    /** Whoever waits for the program or for the client goes on, too. */
    private void cut(WebSocket socket, int code, String reason) {
        socket.close(code, reason);
        connection.close();
        ended.countDown();
    }

    private void take(WebSocket socket, byte[] message) throws IOException, InterruptedException {
        int kind = message.length == 0 ? -1 : message[0];
        boolean open = ended.getCount() > 0;
        if (kind == BYTES && open) {
            socket.await(() -> {
                connection.write(message, 1, message.length - 1, PortConnection.FOR_EVER);
                return true;
            });
        } else if (kind == END && open && message.length == 1) {
            connection.end();
            ended.countDown();
        } else {
            cut(socket, WebSocket.POLICY_VIOLATION, "the first byte of a message is 0, or 3 at the end");
        }
    }
}
