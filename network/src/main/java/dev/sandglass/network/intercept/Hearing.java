package dev.sandglass.network.intercept;

import dev.sandglass.engine.network.Call;
import dev.sandglass.engine.network.Request;
import dev.sandglass.network.intercept.CallText.UnclearException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** Where the policy tells calls of tools apart, reads the body of a request before it is judged, and passes it on with what was read. */
final class Hearing extends Handler.Wrapper {
    /** Bodies of which something is made at once: that takes many times the room of the body itself. */
    private static final int AT_ONCE = 4;

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final String HEARD = Hearing.class.getName();
    private static final String HINT = "Send one JSON-RPC message, or a batch, as application/json; or name the paths of the MCP server in the rules about tools, so that they are about nothing else.";

    private final Bodies bodies;
    private final Semaphore reading = new Semaphore(AT_ONCE);

    Hearing(Bodies bodies, Handler next) {
        super(next);
        this.bodies = bodies;
    }

    /** The conversation to which a request belongs, which knows what is called if somebody listened. */
    static Conversation conversation(org.eclipse.jetty.server.Request asked) {
        return asked.getAttribute(HEARD) instanceof Conversation heard ? heard : Reception.of(asked.getConnectionMetaData().getConnection());
    }

    /** A request that is judged by what is called in it. */
    private record Asked(Conversation conversation, Request request) {
        void refuse(Response response, Callback callback, int status, String why) {
            conversation.refused(Optional.of(request), status, why);
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
        Asked hearing = new Asked(conversation, request.get());
        if (Upgrade.isWanted(asked)) {
            hearing.refuse(response, callback, HttpStatus.FORBIDDEN_403, "what is said by WebSocket is not read");
            return true;
        }
        bodies.read(asked, conversation.owner(), outcome -> {
            switch (outcome) {
                case Bodies.Outcome.Whole(ByteBuffer body, _) -> heard(hearing, asked, body, response, callback);
                case Bodies.Outcome.Unread(int status, String why) -> {
                    response.getHeaders().put(HttpHeader.CONNECTION, "close"); // the rest is not read
                    hearing.refuse(response, callback, status, why);
                }
            }
        });
        return true;
    }

    private void heard(Asked hearing, org.eclipse.jetty.server.Request asked, ByteBuffer body, Response response, Callback callback) {
        try {
            if (!reading.tryAcquire(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
                hearing.refuse(response, callback, HttpStatus.SERVICE_UNAVAILABLE_503, "too many bodies are read at once");
                return;
            }
            List<Call> calls;
            try {
                calls = calls(asked, BufferUtil.toArray(body));
            } finally {
                reading.release();
            }
            asked.setAttribute(HEARD, hearing.conversation.calling(calls));
            if (!super.handle(new Replayed(asked, body), response, callback)) {
                callback.failed(new IllegalStateException("Nobody takes the request."));
            }
        } catch (UnclearException unclear) {
            hearing.refuse(response, callback, HttpStatus.BAD_REQUEST_400, String.valueOf(unclear.getMessage()));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            callback.failed(stopped);
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
}
