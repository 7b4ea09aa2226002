package dev.sandglass.server.e2b.connect;

import dev.sandglass.server.http.Call;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The methods of services, by the path at which they are called. Thread-safe.
 *
 * @param <C> who calls
 */
public final class Rpc<C> {
    /** A method with one answer: a record, or JSON that is written already. */
    @FunctionalInterface
    public interface Unary<C> {
        Object answer(C caller, Message request) throws IOException;
    }

    /** A method that answers with a stream; what is wrong with the request is thrown before it begins. */
    @FunctionalInterface
    public interface Streaming<C> {
        Flow open(C caller, Message request);
    }

    /** What a stream gives; closing it from another thread ends it. */
    public interface Flow extends AutoCloseable {
        /** Until there is no more. An exception of ours breaks the connection; {@link RpcException} is an end that is told. */
        void run(ServerStream stream) throws IOException, InterruptedException;

        /** The message that says nothing, for when there is nothing to say for a while. */
        Object keepalive();

        /** Whether the stream ends when the time of the call is over; else that is the flow's own business. */
        default boolean endsInTime() {
            return true;
        }

        @Override
        void close();
    }

    private static final int MAX_BYTES = 32 << 20;
    private static final int HEAD_BYTES = 5;
    private static final int COMPRESSED = 1;
    private static final Duration KEEPALIVE = Duration.ofSeconds(90);
    private static final String JSON = "application/json";

    private final Map<String, Unary<C>> unary;
    private final Map<String, Streaming<C>> streaming;
    private final Predicate<SandglassException> isGone;

    /** @param isGone whether there is nobody left who could be asked, which is no error of a method: it is thrown on */
    public Rpc(Map<String, Unary<C>> unary, Map<String, Streaming<C>> streaming, Predicate<SandglassException> isGone) {
        this.unary = Map.copyOf(unary);
        this.streaming = Map.copyOf(streaming);
        this.isGone = isGone;
    }

    /** Tells an error of a unary call. */
    public static void refuse(Call call, RpcException problem) throws IOException {
        call.answer(problem.code().httpStatus(), problem.error());
    }

    /** Serves a call, if there is a method at its path. */
    public boolean serve(Call call, C caller) throws IOException, InterruptedException {
        Unary<C> method = unary.get(call.path());
        Streaming<C> stream = streaming.get(call.path());
        if (method != null) {
            serveUnary(call, caller, method);
        } else if (stream != null) {
            serveStream(call, caller, stream);
        }
        return method != null || stream != null;
    }

    private void serveUnary(Call call, C caller, Unary<C> method) throws IOException {
        try {
            require(call, JSON);
            Object answer = method.answer(caller, Message.read(call.bytes(MAX_BYTES)));
            call.answer(200, answer);
        } catch (RpcException problem) {
            refuse(call, problem);
        } catch (SandglassException problem) {
            refuse(call, told(problem));
        }
    }

    private void serveStream(Call call, C caller, Streaming<C> method) throws IOException, InterruptedException {
        Flow flow;
        try {
            require(call, ServerStream.MEDIA_TYPE);
            flow = method.open(caller, request(call.bytes(MAX_BYTES)));
        } catch (RpcException problem) {
            ServerStream.fail(call, problem);
            return;
        } catch (SandglassException problem) {
            ServerStream.fail(call, told(problem));
            return;
        }
        Optional<Duration> limit = flow.endsInTime() ? limit(call) : Optional.empty();
        try (flow; ServerStream stream = ServerStream.begin(call, keepalive(call), flow.keepalive(), limit, flow::close)) {
            run(flow, stream);
        }
    }

    private static void run(Flow flow, ServerStream stream) throws IOException, InterruptedException {
        try {
            flow.run(stream);
        } catch (RpcException problem) {
            stream.end(Optional.of(problem));
            return;
        } catch (SandglassException broken) {
            if (!stream.expired()) {
                throw broken;
            }
        }
        stream.end(stream.expired() ? Optional.of(new RpcException(Code.DEADLINE_EXCEEDED, "the time of the call is over")) : Optional.empty());
    }

    private RpcException told(SandglassException problem) {
        if (isGone.test(problem)) {
            throw problem;
        }
        return new RpcException(Code.of(problem.code()), problem.what());
    }

    private static void require(Call call, String mediaType) {
        String type = call.header("Content-Type").orElse(mediaType);
        if (!type.split(";", 2)[0].strip().equalsIgnoreCase(mediaType)) {
            throw new RpcException(Code.UNIMPLEMENTED, "Content-Type: " + type + " (expected: " + mediaType + ")");
        }
    }

    /** The one envelope of a request. */
    private static Message request(byte[] body) {
        if (body.length < HEAD_BYTES || ByteBuffer.wrap(body).getInt(1) != body.length - HEAD_BYTES) {
            throw new RpcException(Code.INVALID_ARGUMENT, "the body is not one envelope");
        }
        if ((body[0] & COMPRESSED) != 0) {
            throw new RpcException(Code.UNIMPLEMENTED, "compressed envelopes are not read");
        }
        return Message.read(Arrays.copyOfRange(body, HEAD_BYTES, body.length));
    }

    /** How long a call may take, if its client says so. */
    public static Optional<Duration> limit(Call call) {
        return positive(call, "Connect-Timeout-Ms").map(Duration::ofMillis);
    }

    private static Duration keepalive(Call call) {
        return positive(call, "Keepalive-Ping-Interval").map(Duration::ofSeconds).orElse(KEEPALIVE);
    }

    private static Optional<Long> positive(Call call, String header) {
        return call.header(header).filter(text -> text.matches("[0-9]{1,10}")).map(Long::parseLong).filter(number -> number > 0);
    }
}
