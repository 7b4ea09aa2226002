package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** One request of a plane and its answer: nothing of it was held to a description. Used by the handler's thread alone. */
public final class Call {
    private final Request request;
    private final Response response;
    private final Transport transport;
    private final InFlight inFlight;

    Call(Request request, Response response, Transport transport, InFlight inFlight) {
        this.request = request;
        this.response = response;
        this.transport = transport;
        this.inFlight = inFlight;
    }

    public String method() {
        return request.getMethod();
    }

    /** As it came, so that an escaped slash splits nothing. */
    public String path() {
        return Optional.ofNullable(request.getHttpURI().getPath()).orElse("");
    }

    /** The parts of the path, still escaped. */
    public List<String> rawSegments() {
        return PathPattern.segments(path());
    }

    /** A part of a path as it is meant. */
    public static String decoded(String rawSegment) {
        return PercentText.decodeSegment("The path", rawSegment);
    }

    /** The host that is called, in lower case and without a port; empty if none is named. */
    public String host() {
        String host = request.getHttpURI().getHost();
        return host == null ? "" : host.toLowerCase(Locale.ROOT);
    }

    /** Where the client called: scheme, host and port. */
    public String origin() {
        return request.getHttpURI().getScheme() + "://" + request.getHttpURI().getAuthority();
    }

    /** A query parameter, the first of that name. */
    public Optional<String> query(String name) {
        return queries(name).stream().findFirst();
    }

    /** All query parameters of that name. */
    public List<String> queries(String name) {
        @Nullable String raw = request.getHttpURI().getQuery();
        List<String> found = new ArrayList<>();
        for (String pair : raw == null ? new String[0] : raw.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (PercentText.decodeQuery("A query parameter's name", equals < 0 ? pair : pair.substring(0, equals)).equals(name)) {
                found.add(PercentText.decodeQuery(name, equals < 0 ? "" : pair.substring(equals + 1)));
            }
        }
        return found;
    }

    /** All values that came under that name, joined as if they had come in one line. */
    public Optional<String> header(String name) {
        return transport.header(name);
    }

    /** The body as a stream, of any length; a read blocks for the client. */
    public InputStream body() {
        transport.stretchIdleTimeout();
        return transport.body();
    }

    /** The whole body, if it is no longer than that. */
    public byte[] bytes(int most) throws IOException {
        byte[] bytes = transport.contentLength() > most ? new byte[most + 1] : transport.body().readNBytes(most + 1);
        if (bytes.length > most) {
            throw new SandglassException(ErrorCode.TOO_LARGE, "The body is larger than " + most + " bytes.", "Send large content as a file.");
        }
        return bytes;
    }

    /** Asks whose call it is, so that it is cut off when his key is revoked. */
    public void identify(Supplier<Bearer> caller) {
        inFlight.identify(transport.departure(), caller);
    }

    /** A header of the answer. */
    public Call put(String name, String value) {
        response.getHeaders().put(name, value);
        return this;
    }

    /** Answers a record, or JSON that is written already. */
    public void answer(int status, Object json) throws IOException {
        answer(status, "application/json", json instanceof byte[] written ? written : Json.bytes(json));
    }

    public void answer(int status, String mediaType, byte[] content) throws IOException {
        transport.answerEarly();
        transport.answer(status, mediaType, ByteBuffer.wrap(content));
    }

    /** 204. */
    public void answerNothing() throws IOException {
        transport.answerNothing(204);
    }

    /** Begins a streamed answer, of which each write is sent at once; its end is sent when the handler returns, and a failure breaks the connection. */
    public OutputStream stream(int status, String mediaType, OptionalLong length) {
        transport.stretchIdleTimeout();
        return transport.stream(status, mediaType, length);
    }

    /** From now on {@link #await} ends when the client leaves; the connection serves this call and no other one. */
    public void watchForDeparture() {
        transport.watchForDeparture();
    }

    /** Waits for something for as long as the client wants it. */
    public <T> T await(Wait<T> wait) throws IOException, InterruptedException {
        return transport.departure().await(wait);
    }

    /** Whether the client has closed its side, as far as somebody watched it. */
    public boolean clientLeft() {
        return transport.departure().departed();
    }

    /** Whether the answer's head is on its way, so that an error can only be told by breaking off. */
    public boolean isCommitted() {
        return transport.committed();
    }

    /** Somebody who takes the request elsewhere, and answers it to the end. */
    @FunctionalInterface
    public interface Passing {
        /** Throws only as long as nothing is answered. */
        void pass(Request request, Response response, Callback callback, LingeringClose lingering) throws InterruptedException;
    }

    /** Lets somebody else answer. */
    public void pass(Passing passing) throws InterruptedException {
        transport.pass(passing);
    }

    /** Jetty's own, with all headers. */
    public Request request() {
        return request;
    }
}
