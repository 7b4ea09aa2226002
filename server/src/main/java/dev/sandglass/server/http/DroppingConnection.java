package dev.sandglass.server.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** The rest of a connection whose last answer is sent: what comes is dropped until the client closes, or has had its share. */
final class DroppingConnection extends AbstractConnection implements Connection.UpgradeTo {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long TURN_BYTES = 1 << 20;

    private final LingerBounds bounds;
    private final Callback callback;
    private final long deadline;
    private long dropped;

    DroppingConnection(EndPoint end, Executor executor, LingerBounds bounds, Callback callback) {
        super(end, executor);
        this.bounds = bounds;
        this.callback = callback;
        this.deadline = System.nanoTime() + bounds.time().toNanos();
    }

    /** What has been read already is dropped as well. */
    @Override
    public void onUpgradeTo(ByteBuffer read) {}

    @Override
    public void onOpen() {
        super.onOpen();
        EndPoint end = getEndPoint();
        end.setIdleTimeout(bounds.silence().toMillis());
        end.shutdownOutput();
        fillInterested();
    }

    /** Only now is the request over for Jetty, which would otherwise close the connection at once. */
    @Override
    public void onClose(@Nullable Throwable cause) {
        super.onClose(cause);
        callback.succeeded();
    }

    @Override
    public void onFillable() {
        ByteBuffer buffer = BufferUtil.allocate(BUFFER_BYTES);
        try {
            long turn = dropped + TURN_BYTES;
            int read = getEndPoint().fill(buffer);
            while (read > 0 && dropped < Math.min(turn, bounds.bytes()) && System.nanoTime() - deadline < 0) {
                dropped += read;
                BufferUtil.clear(buffer);
                read = getEndPoint().fill(buffer);
            }
            boolean mayGoOn = read > 0 && dropped < bounds.bytes() && System.nanoTime() - deadline < 0;
            if (read == 0 || mayGoOn) {
                fillInterested(); // others get their turn, however fast this one sends
                return;
            }
        } catch (IOException gone) {
            // there is nobody left to linger for
        }
        close();
    }
}
