package dev.sandglass.network.intercept;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http2.BufferingFlowControlStrategy;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.jspecify.annotations.Nullable;

/**
 * Weighs what waits in the streams of one connection of HTTP/2 to be taken. Windows bound how many bytes wait, but a body may come in a million pieces of one byte each, of which every one is kept with a buffer
 * around it: a connection for which there is no room is ended.
 */
final class Backlog extends BufferingFlowControlStrategy {
    /** What may wait of one stream, and of one connection, in bytes. */
    static final int STREAM_WINDOW = 256 << 10;

    static final int CONNECTION_WINDOW = 1 << 20;
    private static final float HALF = 0.5f;

    private final Map<Stream, Integer> waiting = new ConcurrentHashMap<>();

    Backlog() {
        super(HALF);
    }

    /** One side of a connection, which has a share of the room for as long as it is there. */
    interface Side {
        Room.Share share();
    }

    private static Side side(Session session) {
        EndPoint end = ((HTTP2Session) session).getEndPoint();
        return (Side) (end instanceof SslConnection.SslEndPoint secured ? secured.getSslConnection().getEndPoint() : end);
    }

    @Override
    public void onDataReceived(Session session, @Nullable Stream stream, int length) {
        super.onDataReceived(session, stream, length);
        if (stream == null) {
            return; // it is dropped
        }
        Side side = side(session);
        int weight = Weight.piece(length);
        if (side.share().grow(weight)) {
            waiting.merge(stream, weight, Integer::sum);
        } else {
            ((EndPoint) side).close(new IOException("more waits to be taken than there is room for"));
        }
    }

    @Override
    public void onDataConsumed(Session session, @Nullable Stream stream, int length) {
        super.onDataConsumed(session, stream, length);
        if (stream != null) {
            int weight = Weight.piece(length);
            waiting.computeIfPresent(stream, (_, before) -> {
                side(session).share().grow(-Math.min(before, weight));
                return before > weight ? before - weight : null;
            });
        }
    }

    /** What was dropped at once was counted as one piece. */
    @Override
    public void onStreamDestroyed(Stream stream) {
        super.onStreamDestroyed(stream);
        Integer left = waiting.remove(stream);
        if (left != null) {
            side(stream.getSession()).share().grow(-left);
        }
    }
}
