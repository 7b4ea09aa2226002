package dev.sandglass.network.intercept;

import java.io.IOException;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.api.server.ServerSessionListener;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerConnection;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerSession;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.util.Callback;

/**
 * A connection of HTTP/2 towards a sandbox. Nothing can be read any more behind a head that cannot be read, so the connection ends with it; the library does so without a word, here whoever sent it is answered first.
 */
final class SecondConnection extends HTTP2ServerConnection {
    /** For the other side to take the answer. */
    private static final long GRACE_SECONDS = 5;

    private static final String REASON = "the head of a request cannot be read";

    private final HeadWatch parser;
    private int unread;

    SecondConnection(Connector connector, EndPoint end, HttpConfiguration http, HTTP2ServerSession session, ServerSessionListener listener, HeadWatch parser) {
        super(connector, end, http, session, listener);
        this.parser = parser;
    }

    /** What the parser cannot read. */
    @Override
    public void onConnectionFailure(int error, String reason) {
        OptionalInt head = parser.head();
        if (head.isEmpty() || getSession().getStream(head.getAsInt()) != null) { // no head, or what follows a body
            super.onConnectionFailure(error, reason);
            return;
        }
        unread = head.getAsInt();
        parser.stop();
        IOException why = new IOException("HTTP/2 that cannot be read, or a head of more than " + Interception.HEAD / 1024 + " KiB (" + reason + ")");
        getConnector().getScheduler().schedule(() -> end(error), GRACE_SECONDS, TimeUnit.SECONDS);
        getSession().onHeaders(new HeadersFrame(unread, MetaData.Failed.newFailedMetaDataRequest(HttpVersion.HTTP_2, why), null, true));
    }

    @Override
    public void onStreamFailure(Stream stream, Throwable failure, Callback callback) {
        boolean isAnswer = stream.getId() == unread;
        super.onStreamFailure(stream, failure, isAnswer ? Callback.from(callback, this::sayGoodbye) : callback);
    }

    private void sayGoodbye() {
        getSession().close(ErrorCode.PROTOCOL_ERROR.code, REASON, Callback.NOOP);
    }

    private void end(int error) {
        getSession().onConnectionFailure(error, REASON);
    }
}
