package dev.sandglass.cli.forward;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.http.ClosedException;
import dev.sandglass.client.http.WebSocket;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One connection: each direction ends by itself, and what one side does not take holds the other one up. */
final class Tunnel {
    private static final int BYTES = 0;
    private static final int END = 3;
    private static final int MOST = 32 << 10;
    private static final int NORMAL = 1000;

    private final SocketChannel local;
    private final Client client;
    private final String sandbox;
    private final int port;
    private volatile boolean left;

    Tunnel(SocketChannel local, Client client, String sandbox, int port) {
        this.local = local;
        this.client = client;
        this.sandbox = sandbox;
        this.port = port;
    }

    /** Until both sides have ended; throws why it did not come to that, unless it was the local side that left. */
    void run() {
        try (local; client) {
            Optional<SandglassException> why = carry();
            if (why.isPresent() && !left) {
                local.setOption(StandardSocketOptions.SO_LINGER, 0); // so that it is not taken for a proper end
                throw why.get();
            }
        } catch (IOException gone) {
            return;
        }
    }

    private Optional<SandglassException> carry() {
        try (WebSocket socket = client.connectPort(sandbox, port)) {
            Thread.ofVirtual().name("tunnel-in").start(() -> send(socket));
            while (receive(socket)) {}
            return Optional.of(broken("the daemon said something unknown", null));
        } catch (ClosedException closed) {
            return closed.code() == NORMAL ? Optional.empty() : Optional.of(broken(closed.getMessage(), closed));
        } catch (IOException lost) {
            return Optional.of(broken(lost.getMessage(), lost));
        } catch (SandglassException refused) {
            return Optional.of(refused);
        }
    }

    /** Passes one message on; false if it is none that there is. */
    private boolean receive(WebSocket socket) throws IOException {
        socket.receive();
        int kind = socket.length() == 0 ? -1 : socket.message()[0];
        if (kind != END && kind != BYTES) {
            return false;
        }
        try {
            if (kind == END) {
                local.shutdownOutput();
            }
            ByteBuffer rest = ByteBuffer.wrap(socket.message(), 1, socket.length() - 1);
            while (rest.hasRemaining()) {
                local.write(rest);
            }
            return true;
        } catch (IOException gone) {
            left = true;
            throw gone;
        }
    }

    /** When the local program breaks off, what is inside is cut off too. */
    private void send(WebSocket socket) {
        byte[] buffer = new byte[MOST];
        try {
            for (int count = read(buffer); count >= 0; count = read(buffer)) {
                socket.send(BYTES, buffer, 0, count);
            }
            socket.send(END, buffer, 0, 0);
        } catch (IOException broken) {
            close(socket);
        }
    }

    private int read(byte[] buffer) throws IOException {
        try {
            return local.read(ByteBuffer.wrap(buffer));
        } catch (IOException gone) {
            left = true;
            throw gone;
        }
    }

    private static void close(WebSocket socket) {
        try {
            socket.close();
        } catch (IOException alreadyGone) {
            return;
        }
    }

    private SandglassException broken(@Nullable String why, @Nullable IOException cause) {
        return new SandglassException(
                ErrorCode.PORT_REFUSED, "A connection to port " + port + " broke: " + why, "The program inside ended it, or the sandbox or the daemon stopped.", cause);
    }
}
