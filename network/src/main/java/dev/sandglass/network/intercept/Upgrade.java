package dev.sandglass.network.intercept;

import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Executor;
import org.eclipse.jetty.client.HttpUpgrader;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** A request to speak WebSocket from here on. The server agrees or not; if it does, both connections are spliced, and what they say is not looked into. */
final class Upgrade implements HttpUpgrader {
    private static final String WEBSOCKET = "websocket";
    /** Not passed on: those that are about one connection, and those about a body, which such an answer has none of. */
    private static final Set<HttpHeader> OF_A_HOP = Set.of(
            HttpHeader.CONNECTION, HttpHeader.UPGRADE, HttpHeader.KEEP_ALIVE, HttpHeader.TRANSFER_ENCODING, HttpHeader.TRAILER, HttpHeader.CONTENT_LENGTH);

    private final Request asked;
    private final Response answer;
    private final Callback callback;
    private final Ending ending;

    /** Told once, when the bytes that went each way are known. */
    interface Ending {
        void over(long sent, long received);
    }

    Upgrade(Request asked, Response answer, Callback callback, Ending ending) {
        this.asked = asked;
        this.answer = answer;
        this.callback = callback;
        this.ending = ending;
    }

    /** Whether a request wants to leave HTTP, in any way. */
    static boolean isWanted(Request asked) {
        return asked.getHeaders().contains(HttpHeader.UPGRADE) || HttpMethod.CONNECT.is(asked.getMethod());
    }

    /** Whether it does so in the one way that is passed on. */
    static boolean isWebSocket(Request asked) {
        HttpFields fields = asked.getHeaders();
        boolean bare = asked.getLength() <= 0 && !fields.contains(HttpHeader.TRANSFER_ENCODING) && !fields.contains(HttpHeader.EXPECT);
        return asked.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1 && HttpMethod.GET.is(asked.getMethod()) && bare && agrees(fields);
    }

    private static boolean agrees(HttpFields fields) {
        var protocols = fields.getCSV(HttpHeader.UPGRADE, false);
        return protocols.size() == 1 && protocols.getFirst().toLowerCase(Locale.ROOT).equals(WEBSOCKET) && fields.contains(HttpHeader.CONNECTION, HttpHeader.UPGRADE.asString());
    }

    @Override
    public void prepare(org.eclipse.jetty.client.Request sent) {
        sent.headers(fields -> fields.put(HttpHeader.UPGRADE, WEBSOCKET).put(HttpHeader.CONNECTION, HttpHeader.UPGRADE.asString()));
    }

    /** The server has said 101. */
    @Override
    public void upgrade(org.eclipse.jetty.client.Response got, EndPoint outside, Callback agreed) {
        if (!agrees(got.getHeaders())) {
            IOException broken = new IOException("it changed to another protocol than it was asked for");
            outside.close(broken);
            agreed.failed(broken);
            return;
        }
        EndPoint inside = asked.getConnectionMetaData().getConnection().getEndPoint();
        Executor executor = asked.getComponents().getExecutor();
        Splice.Side far = new Splice.Side(outside, executor);
        Splice.Side near = new Splice.Side(inside, executor);
        outside.upgrade(far);
        asked.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, near);
        asked.addHttpStreamWrapper(stream -> new Afterwards(stream, () -> Thread.ofVirtual().name("splice").start(() -> splice(near, far))));
        answer.setStatus(HttpStatus.SWITCHING_PROTOCOLS_101);
        for (HttpField field : got.getHeaders()) {
            if (!OF_A_HOP.contains(field.getHeader())) {
                answer.getHeaders().add(field);
            }
        }
        answer.getHeaders().put(HttpHeader.UPGRADE, WEBSOCKET).put(HttpHeader.CONNECTION, HttpHeader.UPGRADE.asString());
        answer.write(true, null, callback);
        agreed.succeeded();
    }

    /** Runs something when a stream is done with, and has given its connection away: a listener for its completion is told before that. */
    private static final class Afterwards extends HttpStream.Wrapper {
        private final Runnable action;

        Afterwards(HttpStream stream, Runnable action) {
            super(stream);
            this.action = action;
        }

        @Override
        public void succeeded() {
            super.succeeded();
            action.run();
        }

        @Override
        public void failed(Throwable failure) {
            super.failed(failure);
            action.run();
        }
    }

    /** When the sandbox has got the answer, or nobody will. */
    private void splice(Splice.Side near, Splice.Side far) {
        Splice splice = new Splice(near, far);
        try {
            if (near.isThere()) {
                splice.run();
            } else {
                far.close();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            ending.over(splice.sent(), splice.received());
        }
    }
}
