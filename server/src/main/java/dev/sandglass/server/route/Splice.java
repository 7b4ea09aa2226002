package dev.sandglass.server.route;

import dev.sandglass.engine.port.PortConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection that has become a WebSocket: bytes pass both ways, unread, each on a thread of its own; who does not take them stops the other side. */
final class Splice extends AbstractConnection implements Connection.UpgradeTo {
    private static final Logger LOG = LoggerFactory.getLogger(Splice.class);
    private static final int PIECE_BYTES = 1 << 15;

    private final PortConnection connection;
    private final Duration patience;
    private final ByteBuffer firstDown;
    private ByteBuffer firstUp = BufferUtil.EMPTY_BUFFER;
    private final Runnable leave;
    private final AtomicInteger open = new AtomicInteger(2);

    /**
     * @param first what the program has said already
     * @param patience how long nothing may pass either way
     * @param leave what is done when it is over
     */
    Splice(EndPoint end, Executor executor, PortConnection connection, ByteBuffer first, Duration patience, Runnable leave) {
        super(end, executor);
        this.connection = connection;
        this.firstDown = BufferUtil.copy(first);
        this.patience = patience;
        this.leave = leave;
    }

    @Override
    public void onUpgradeTo(ByteBuffer read) {
        firstUp = BufferUtil.copy(read);
    }

    @Override
    public void onOpen() {
        super.onOpen();
        getEndPoint().setIdleTimeout(patience.toMillis());
        Thread.ofVirtual().name("route-up").start(() -> carry(this::up));
        Thread.ofVirtual().name("route-down").start(() -> carry(this::down));
    }

    private interface Way {
        void run() throws IOException;
    }

    private void carry(Way way) {
        try {
            way.run();
        } catch (IOException | RuntimeException broken) {
            LOG.debug("a WebSocket to port {} of {} broke off", connection.port(), connection.sandbox().name(), broken);
            close();
            connection.close(); // the client may have gone before this was told of its end
        }
        if (open.decrementAndGet() == 0) {
            close();
            leave.run();
        }
    }

    private void up() throws IOException {
        write(firstUp);
        ByteBuffer piece = ByteBuffer.wrap(new byte[PIECE_BYTES]);
        while (true) {
            BufferUtil.clear(piece);
            int read = getEndPoint().fill(piece);
            if (read < 0) {
                connection.end();
                return;
            }
            if (read > 0) {
                write(piece);
            } else {
                try (Blocker.Callback fillable = Blocker.callback()) {
                    getEndPoint().fillInterested(fillable);
                    fillable.block();
                }
            }
        }
    }

    private void write(ByteBuffer piece) throws IOException {
        if (piece.hasRemaining()) {
            connection.write(piece.array(), piece.arrayOffset() + piece.position(), piece.remaining(), patience);
        }
    }

    private void down() throws IOException {
        send(firstDown);
        byte[] piece = new byte[PIECE_BYTES];
        for (int read = connection.read(piece, 0, piece.length, PortConnection.FOR_EVER); read >= 0; read = connection.read(piece, 0, piece.length, PortConnection.FOR_EVER)) {
            send(ByteBuffer.wrap(piece, 0, read));
        }
        getEndPoint().shutdownOutput();
    }

    private void send(ByteBuffer piece) throws IOException {
        if (piece.hasRemaining()) {
            try (Blocker.Callback written = Blocker.callback()) {
                getEndPoint().write(written, piece);
                written.block();
            }
        }
    }

    @Override
    public void onFillable() {
        throw new IllegalStateException("somebody else reads");
    }

    @Override
    public void onClose(@Nullable Throwable cause) {
        super.onClose(cause);
        Thread.ofVirtual().start(connection::close); // which may wait for the agent
    }
}
