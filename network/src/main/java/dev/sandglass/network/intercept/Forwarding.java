package dev.sandglass.network.intercept;

import dev.sandglass.engine.network.Request;
import dev.sandglass.network.intercept.Conversation.Ruling;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.client.ByteBufferRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpUpgrader;
import org.eclipse.jetty.client.UpgradeProtocolHandler;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Judges each request and sends those on that may go on, as they are; others are answered here. */
final class Forwarding extends ProxyHandler {
    private static final String JUDGED = Judged.class.getName();
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    private final HttpClient fresh;
    private final Way.Door door;

    Forwarding(HttpClient client, Way.Door door) {
        this.fresh = client;
        this.door = door;
    }

    /** It is not set, but given when it is asked for: then it learns to pass 100 and 103 on as they are. */
    @Override
    protected HttpClient newHttpClient() {
        return fresh;
    }

    private record Judged(Conversation conversation, Request request, Ruling ruling, Additions additions, long begun) {
        void over(int status, long sent, long received) {
            conversation.ended(new Conversation.Exchange(request, ruling, status, sent, received, System.nanoTime() - begun));
        }
    }

    @Override
    public boolean handle(org.eclipse.jetty.server.Request asked, Response response, Callback callback) {
        long begun = System.nanoTime();
        Conversation conversation = Hearing.conversation(asked);
        HttpURI uri = asked.getHttpURI();
        Optional<Request> request = Request.parse(asked.getMethod(), String.valueOf(uri.getPathQuery()));
        if (request.isEmpty()) {
            refuse(response, callback, HttpStatus.BAD_REQUEST_400, "The gateway cannot tell which path a server would make of this request.", "Send a plain method and a path without dots, control characters and half escapes.");
            return true;
        }
        if (!isFor(uri, conversation)) {
            refuse(response, callback, HttpStatus.MISDIRECTED_REQUEST_421, "The request names another host than the connection was made to.", "Make a connection for each host.");
            return true;
        }
        if (Upgrade.isWanted(asked) && !Upgrade.isWebSocket(asked)) {
            refuse(response, callback, HttpStatus.NOT_IMPLEMENTED_501, "The gateway changes to no protocol but WebSocket, over HTTP/1.1, on connections that it looks into.", "Allow the host without methods and paths, and it is passed through.");
            return true;
        }
        Ruling ruling = conversation.judge(request.get());
        List<Addition> additions = ruling instanceof Ruling.Pass ? conversation.additions(request.get()) : List.of();
        Judged judged = new Judged(conversation, request.get(), ruling, new Additions(additions), begun);
        return switch (judged.ruling) {
            case Ruling.Refusal(String why, String hint) -> {
                judged.over(HttpStatus.FORBIDDEN_403, 0, 0);
                refuse(response, callback, HttpStatus.FORBIDDEN_403, "The policy of this sandbox does not allow this request: " + why, hint);
                yield true;
            }
            case Ruling.Pass() -> {
                asked.setAttribute(JUDGED, judged);
                yield super.handle(new Sendable(asked, judged.additions), response, callback);
            }
        };
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        getHttpClient().getProtocolHandlers().put(new UpgradeProtocolHandler());
    }

    private static boolean isFor(HttpURI uri, Conversation conversation) {
        String host = uri.getHost();
        int port = uri.getPort() > 0 ? uri.getPort() : conversation.port(); // without a port it is the one that was dialed
        return conversation.host().equalsIgnoreCase(host) && port == conversation.port();
    }

    static void refuse(Response response, Callback callback, int status, String message, String hint) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        Content.Sink.write(response, true, Json.write(new Problem("network_denied", message, hint)), callback);
    }

    private static Conversation conversation(org.eclipse.jetty.server.Request asked) {
        return ((Judged) asked.getAttribute(JUDGED)).conversation;
    }

    @Override
    protected HttpURI rewriteHttpURI(org.eclipse.jetty.server.Request asked) {
        return asked.getHttpURI();
    }

    /** With the path as it was written: what was judged is what is sent. */
    @Override
    protected org.eclipse.jetty.client.Request newProxyToServerRequest(org.eclipse.jetty.server.Request asked, HttpURI uri) {
        Conversation conversation = conversation(asked);
        return getHttpClient()
                .newRequest(conversation.host(), conversation.port())
                .scheme(conversation.isSecure() ? "https" : "http")
                .method(asked.getMethod())
                .path(additions(asked).target(uri.getPathQuery()))
                .transport(new Way(door, conversation.owner(), conversation.place()));
    }

    /**
     * The server is to see what it would see without a gateway, and what is added for it. Its name is said once: a request of HTTP/2 can have another one in a field beside the one that was
     * judged.
     */
    @Override
    protected void addProxyHeaders(org.eclipse.jetty.server.Request asked, org.eclipse.jetty.client.Request sent) {
        Conversation conversation = conversation(asked);
        int usual = conversation.isSecure() ? HTTPS : HTTP;
        String host = conversation.port() == usual ? conversation.host() : conversation.host() + ":" + conversation.port();
        sent.headers(fields -> {
            fields.put(HttpHeader.HOST, host);
            additions(asked).apply(fields);
        });
    }

    @Override
    protected org.eclipse.jetty.client.Request.Content newProxyToServerRequestContent(
            org.eclipse.jetty.server.Request asked, Response answer, org.eclipse.jetty.client.Request sent) {
        if (!additions(asked).concernsBody(asked.getLength())) {
            return super.newProxyToServerRequestContent(asked, answer, sent);
        }
        try {
            ByteBuffer body = additions(asked).body(asked);
            sent.headers(fields -> fields.put(HttpHeader.CONTENT_LENGTH, body.remaining()));
            return new ByteBufferRequestContent(asked.getHeaders().get(HttpHeader.CONTENT_TYPE), body);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    /** A server changes the protocol if it was asked to, and not otherwise. */
    @Override
    protected void sendProxyToServerRequest(
            org.eclipse.jetty.server.Request asked, org.eclipse.jetty.client.Request sent, Response answer, Callback callback) {
        if (Upgrade.isWebSocket(asked)) {
            Judged judged = (Judged) asked.getAttribute(JUDGED);
            HttpUpgrader.Factory factory = _ -> new Upgrade(asked, answer, callback, (out, in) -> judged.over(HttpStatus.SWITCHING_PROTOCOLS_101, out, in));
            sent.version(HttpVersion.HTTP_1_1).attribute(HttpUpgrader.Factory.class.getName(), factory);
        } else {
            sent.onResponseBegin(got -> {
                if (got.getStatus() == HttpStatus.SWITCHING_PROTOCOLS_101) {
                    got.abort(new IOException("it changed the protocol without being asked"));
                }
            });
        }
        super.sendProxyToServerRequest(asked, sent, answer, callback);
    }

    private static Additions additions(org.eclipse.jetty.server.Request asked) {
        return ((Judged) asked.getAttribute(JUDGED)).additions;
    }

    @Override
    protected void onProxyToClientResponseComplete(
            org.eclipse.jetty.server.Request asked, org.eclipse.jetty.client.Request sent, org.eclipse.jetty.client.Response got, Response answer, Callback callback) {
        over(asked, got.getStatus(), answer);
        super.onProxyToClientResponseComplete(asked, sent, got, answer, callback);
    }

    @Override
    protected void onProxyToClientResponseFailure(
            org.eclipse.jetty.server.Request asked,
            org.eclipse.jetty.client.Request sent,
            org.eclipse.jetty.client.Response got,
            Response answer,
            Callback callback,
            Throwable failure) {
        over(asked, got.getStatus(), answer);
        super.onProxyToClientResponseFailure(asked, sent, got, answer, callback, failure);
    }

    @Override
    protected void onServerToProxyResponseFailure(
            org.eclipse.jetty.server.Request asked,
            org.eclipse.jetty.client.Request sent,
            org.eclipse.jetty.client.@Nullable Response got,
            Response answer,
            Callback callback,
            Throwable failure) {
        over(asked, 0, answer);
        if (answer.isCommitted()) {
            callback.failed(failure);
        } else {
            refuse(answer, callback, HttpStatus.BAD_GATEWAY_502, "The server did not answer: " + failure.getMessage(), "See whether it can be reached, and whether its certificate is good.");
        }
    }

    private static void over(org.eclipse.jetty.server.Request asked, int status, Response answer) {
        Judged judged = (Judged) asked.removeAttribute(JUDGED);
        if (judged != null) {
            judged.over(status, org.eclipse.jetty.server.Request.getContentBytesRead(asked), Response.getContentBytesWritten(answer));
        }
    }
}
