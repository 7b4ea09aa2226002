package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** One request of Jetty's: what has been answered so far, and how it ends. Used by the handler's thread alone. */
final class Transport {
    /** Refusals that a moment later may not be. */
    private static final Set<ErrorCode> PASSING = Set.of(ErrorCode.RATE_LIMITED, ErrorCode.LIMIT_REACHED, ErrorCode.SHUTTING_DOWN);

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final SocketUpgrade sockets;
    private final LingeringClose lingering;
    private final HttpSettings settings;
    private final Departure departure = new Departure();
    private final RequestBody body;
    private final EndPoint end;
    private final long ordinaryIdleTimeout;
    private @Nullable ResponseBody streamed;
    /** What is called at the end, if the connection is to linger. */
    private @Nullable Callback ending;
    private OptionalLong promised = OptionalLong.empty();
    private boolean complete;
    /** Somebody else ends it. */
    private boolean upgraded;
    private boolean follows;

    Transport(Request request, Response response, Callback callback, SocketUpgrade sockets, LingeringClose lingering, HttpSettings settings) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.sockets = sockets;
        this.lingering = lingering;
        this.settings = settings;
        this.body = new RequestBody(request);
        this.end = request.getConnectionMetaData().getConnection().getEndPoint();
        this.ordinaryIdleTimeout = end.getIdleTimeout();
        // A handler that works for long is no idle connection; reads and writes that stand still do time out.
        request.addIdleTimeoutListener(timeout -> false);
    }

    Departure departure() {
        return departure;
    }

    RequestBody body() {
        return body;
    }

    long contentLength() {
        return request.getLength();
    }

    /** All values that came under that name, joined as if they had come in one line. */
    Optional<String> header(String name) {
        List<String> values = request.getHeaders().getValuesList(name);
        return values.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", values));
    }

    /** For a stream, whose sides may be slow. */
    void stretchIdleTimeout() {
        end.setIdleTimeout(settings.streamPatience().toMillis());
    }

    /** For events, which nobody need take slowly. */
    void shortenIdleTimeout() {
        end.setIdleTimeout(settings.eventPatience().toMillis());
    }

    /** The next answer may come before the client has sent all of its request. */
    void answerEarly() {
        ending = lingering.after(request, response, callback);
    }

    void answer(int status, String mediaType, ByteBuffer content) throws IOException {
        claim();
        Problems.head(response, status, mediaType);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, content.remaining());
        Content.Sink.write(response, true, content);
        complete = true;
    }

    void put(String header, String value) {
        response.getHeaders().put(header, value);
    }

    void answerNothing(int status) throws IOException {
        claim();
        response.setStatus(status);
        Content.Sink.write(response, true, ByteBuffer.allocate(0));
        complete = true;
    }

    OutputStream stream(int status, String mediaType, OptionalLong length) {
        claim();
        Problems.head(response, status, mediaType);
        if (length.isPresent()) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, length.getAsLong());
        } else if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1) {
            // Said in so many words, since Jetty would let the end of a closing connection stand for the end of the body.
            response.getHeaders().put(HttpHeader.TRANSFER_ENCODING, "chunked");
        }
        promised = length;
        streamed = new ResponseBody(response);
        return streamed;
    }

    /** Tells the departure when the client closes its side; nothing else may be read from this connection afterwards. */
    void watchForDeparture() {
        follows = true;
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        ClientWatch.of(end, departure::depart);
    }

    /** Waits for something that is worth nothing once the client has left; the connection goes on afterwards. */
    <T> T awaitForClient(Wait<T> wait) throws IOException, InterruptedException {
        ClientWatch watch = ClientWatch.of(end, departure::depart);
        try {
            return departure.await(wait);
        } finally {
            watch.close();
            if (watch.spoiled()) {
                response.getHeaders().put(HttpHeader.CONNECTION, "close");
            }
        }
    }

    void upgrade(Supplier<Conversation> opening) {
        claim();
        sockets.upgrade(request, response, callback, departure, opening);
        complete = true;
        upgraded = true;
    }

    void pass(Call.Passing passing) throws InterruptedException {
        claim();
        passing.pass(request, response, callback, lingering);
        complete = true;
        upgraded = true;
    }

    /** Of the answer, so far as there is one. */
    int status() {
        return response.getStatus();
    }

    /** Whether the answer lasts for as long as its client wants it. */
    boolean follows() {
        return follows;
    }

    boolean upgraded() {
        return upgraded;
    }

    /** Whether the answer's head is on its way, so that an error can only be told by breaking off. */
    boolean committed() {
        return response.isCommitted();
    }

    /** Ends the answer of a handler that returned. */
    void finish() throws IOException {
        ResponseBody stream = streamed;
        if (stream != null) {
            if (promised.isPresent() && promised.getAsLong() != stream.written()) {
                throw new IOException("body of " + stream.written() + " bytes (expected: " + promised.getAsLong() + ")");
            }
            Content.Sink.write(response, true, ByteBuffer.allocate(0));
            complete = true;
        }
        if (!complete) {
            throw new IllegalStateException("the handler did not answer");
        }
        if (!upgraded) {
            end.setIdleTimeout(ordinaryIdleTimeout);
            (ending == null ? callback : ending).succeeded();
        }
    }

    /** Answers an error in place of whatever the handler had prepared. */
    void answerProblem(SandglassException problem, @Nullable String allow, boolean close) {
        response.reset();
        Problems.head(response, problem.code().httpStatus(), "application/json");
        if (allow != null) {
            response.getHeaders().put(HttpHeader.ALLOW, allow);
        }
        if (problem.code() == ErrorCode.UNAUTHORIZED) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
        }
        if (PASSING.contains(problem.code())) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
        }
        if (close) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        end.setIdleTimeout(ordinaryIdleTimeout);
        Callback written = lingering.after(request, response, callback);
        response.write(true, ByteBuffer.wrap(Json.bytes(problem.toProblem())), written);
    }

    /** Takes back what was prepared of an answer, of which nothing is on its way. */
    void retract() {
        response.reset();
        streamed = null;
        promised = OptionalLong.empty();
        complete = false;
        end.setIdleTimeout(ordinaryIdleTimeout);
    }

    /** Breaks the connection, so that what was sent is not taken for the whole. */
    void abort(Throwable why) {
        Resets.onClose(end);
        callback.failed(why);
        end.close(why);
    }

    private void claim() {
        if (complete || streamed != null) {
            throw new IllegalStateException("the handler answered twice");
        }
    }
}
