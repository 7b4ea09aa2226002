package dev.sandglass.network.intercept;

import dev.sandglass.engine.network.Call;
import dev.sandglass.engine.network.Request;
import dev.sandglass.network.intercept.CallText.UnclearException;
import dev.sandglass.network.intercept.Conversation.Exchange;
import dev.sandglass.network.intercept.Conversation.Ruling;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;

/** Where the policy tells calls of tools apart, reads the body of a request before it is judged, and passes it on with what was read. */
final class Hearing extends Handler.Wrapper {
    private static final int MOST = 1 << 20;
    private static final String HEARD = Hearing.class.getName();
    private static final String HINT = "Send one JSON-RPC message, or a batch, as application/json; or name the paths of the MCP server in the rules about tools, so that they are about nothing else.";

    Hearing(Handler next) {
        super(next);
    }

    /** The conversation to which a request belongs, which knows what is called if somebody listened. */
    static Conversation conversation(org.eclipse.jetty.server.Request asked) {
        return asked.getAttribute(HEARD) instanceof Conversation heard ? heard : Reception.of(asked.getConnectionMetaData().getConnection());
    }

    /** A request that is judged by what is called in it. */
    private record Asked(Conversation conversation, Request request, long begun) {
        void refuse(Response response, Callback callback, int status, String why) {
            conversation.ended(new Exchange(request, new Ruling.Refusal(why, HINT), status, 0, 0, System.nanoTime() - begun));
            Forwarding.refuse(response, callback, status, "The policy of this sandbox tells calls of tools apart, and " + why + ".", HINT);
        }
    }

    @Override
    public boolean handle(org.eclipse.jetty.server.Request asked, Response response, Callback callback) throws Exception {
        Conversation conversation = conversation(asked);
        Optional<Request> request = Request.parse(asked.getMethod(), String.valueOf(asked.getHttpURI().getPathQuery()));
        if (request.isEmpty() || !conversation.dependsOnCalls(request.get())) {
            return super.handle(asked, response, callback);
        }
        Asked hearing = new Asked(conversation, request.get(), System.nanoTime());
        if (Upgrade.isWanted(asked)) {
            hearing.refuse(response, callback, HttpStatus.FORBIDDEN_403, "what is said by WebSocket is not read");
            return true;
        }
        if (asked.getLength() > MOST) {
            tooLong(hearing, response, callback);
            return true;
        }
        Content.Source.asByteArrayAsync(asked, MOST, Promise.Invocable.from(InvocationType.BLOCKING, (body, failure) -> {
            if (failure == null) {
                heard(hearing, asked, body, response, callback);
            } else if (failure instanceof IllegalStateException) {
                tooLong(hearing, response, callback);
            } else {
                hearing.refuse(response, callback, HttpStatus.BAD_REQUEST_400, "its body does not come to its end");
            }
        }));
        return true;
    }

    private static void tooLong(Asked hearing, Response response, Callback callback) {
        response.getHeaders().put(HttpHeader.CONNECTION, "close"); // the rest is not read
        hearing.refuse(response, callback, HttpStatus.PAYLOAD_TOO_LARGE_413, "its body is longer than " + MOST + " bytes");
    }

    private void heard(Asked hearing, org.eclipse.jetty.server.Request asked, byte[] body, Response response, Callback callback) {
        try {
            asked.setAttribute(HEARD, hearing.conversation.calling(calls(asked, body)));
            if (!super.handle(new Replayed(asked, body), response, callback)) {
                callback.failed(new IllegalStateException("Nobody takes the request."));
            }
        } catch (UnclearException unclear) {
            hearing.refuse(response, callback, HttpStatus.BAD_REQUEST_400, String.valueOf(unclear.getMessage()));
        } catch (Exception fault) {
            callback.failed(fault);
        }
    }

    private static List<Call> calls(org.eclipse.jetty.server.Request asked, byte[] body) throws UnclearException {
        if (body.length == 0) {
            return List.of(new Call.Plain());
        }
        CallText.check(asked.getHeaders());
        return CallText.read(body);
    }

    /** A request with its body, which was read. */
    private static final class Replayed extends org.eclipse.jetty.server.Request.Wrapper {
        private final int length;
        private @Nullable ByteBuffer rest;

        Replayed(org.eclipse.jetty.server.Request asked, byte[] body) {
            super(asked);
            this.length = body.length;
            this.rest = ByteBuffer.wrap(body);
        }

        @Override
        public HttpFields getHeaders() {
            return HttpFields.build(super.getHeaders()).remove(HttpHeader.EXPECT).asImmutable(); // it has come
        }

        @Override
        public long getLength() {
            return length;
        }

        @Override
        public Content.Chunk read() {
            ByteBuffer whole = rest;
            rest = null;
            return whole == null ? Content.Chunk.EOF : Content.Chunk.from(whole, true);
        }

        @Override
        public void demand(Runnable action) {
            action.run();
        }
    }
}
