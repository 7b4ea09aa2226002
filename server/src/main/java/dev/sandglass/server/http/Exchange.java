package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** One request and its answer, as a handler sees it. Used by the handler's thread alone. */
public final class Exchange {
    /** The most that is read of a JSON body. */
    public static final int MAX_JSON_BYTES = 1 << 20;

    private static final byte[] NOTHING_SAID = {'{', '}'};

    private final Operation operation;
    private final Map<String, String> segments;
    private final Query query;
    private final Transport transport;

    Exchange(Operation operation, Map<String, String> segments, Query query, Transport transport) {
        this.operation = operation;
        this.segments = segments;
        this.query = query;
        this.transport = transport;
    }

    /** A decoded variable of the path. */
    public String segment(String name) {
        return Optional.ofNullable(segments.get(name)).orElseThrow(() -> new IllegalArgumentException("no path variable " + name));
    }

    /** Whether the owner of the daemon calls, and not somebody with a key. */
    public boolean isOwners() {
        return transport.departure().bearer().isOwner();
    }

    public Query query() {
        return query;
    }

    /** A header that the operation is described with, held to its schema. */
    public Optional<String> header(String name) {
        Schema schema = Optional.ofNullable(operation.headers().get(name))
                .orElseThrow(() -> new IllegalArgumentException(operation.id() + " has no header " + name));
        Optional<String> value = transport.header(name);
        value.ifPresent(text -> schema.check(name, text));
        return value;
    }

    /** Whether the client asks for an answer of that type by name. */
    public boolean accepts(String mediaType) {
        return transport.header("Accept").map(types -> types.toLowerCase(Locale.ROOT).contains(mediaType)).orElse(false);
    }

    /** The JSON body, held to the operation's schema: an unknown field is refused. */
    public <T> T json(Class<T> type) throws IOException {
        Operation.RequestContent content = operation.content().orElseThrow(this::noJson);
        Schema schema = content.schema().orElseThrow(this::noJson);
        byte[] json = jsonBytes();
        if (json.length == 0 && !content.required()) {
            return schema.read(type, NOTHING_SAID);
        }
        if (transport.header("Content-Type").isEmpty()) {
            throw MediaTypes.untold(content.mediaType());
        }
        return schema.read(type, json);
    }

    /** The JSON body as it came, for a handler that reads it by itself. */
    public byte[] jsonBytes() throws IOException {
        if (transport.contentLength() > MAX_JSON_BYTES) {
            throw tooLarge();
        }
        byte[] json = transport.body().readNBytes(MAX_JSON_BYTES + 1);
        if (json.length > MAX_JSON_BYTES) {
            throw tooLarge();
        }
        return json;
    }

    private IllegalStateException noJson() {
        return new IllegalStateException(operation.id() + " takes no JSON");
    }

    /** The body as a stream, of any length; a read blocks for the client. */
    public InputStream body() {
        transport.stretchIdleTimeout();
        return transport.body();
    }

    public void answer(int status, Object value) throws IOException {
        transport.answer(status, "application/json", ByteBuffer.wrap(Json.bytes(value)));
    }

    /** Answers JSON that is written already. */
    public void answerJson(byte[] json) throws IOException {
        answerJson(200, json);
    }

    public void answerJson(int status, byte[] json) throws IOException {
        transport.answer(status, "application/json", ByteBuffer.wrap(json));
    }

    /** A header of the answer that is yet to come. */
    public void put(String header, String value) {
        transport.put(header, value);
    }

    /** Answers text of any type. */
    public void answerText(String mediaType, byte[] text) throws IOException {
        transport.answer(200, mediaType, ByteBuffer.wrap(text));
    }

    public void answerNothing() throws IOException {
        answerNothing(204);
    }

    public void answerNothing(int status) throws IOException {
        transport.answerNothing(status);
    }

    /** Begins a streamed answer; its end is sent when the handler returns, and a failure breaks the connection. */
    public OutputStream stream(String mediaType, OptionalLong length) {
        transport.stretchIdleTimeout();
        return transport.stream(200, mediaType, length);
    }

    /** Begins an answer of JSON lines; {@link #await} ends when the client leaves. */
    public EventStream events() throws IOException {
        OutputStream body = stream("application/x-ndjson", OptionalLong.empty());
        transport.watchForDeparture();
        body.write(new byte[0]);
        return new EventStream(body);
    }

    /** Begins an answer of server-sent events; {@link #await} ends when the client leaves. */
    public ServerSentEvents serverSentEvents() {
        transport.shortenIdleTimeout();
        OutputStream body = transport.stream(200, "text/event-stream", OptionalLong.empty());
        transport.watchForDeparture();
        return new ServerSentEvents(body);
    }

    /** Waits for something for as long as the client wants it. */
    public <T> T await(Wait<T> wait) throws IOException, InterruptedException {
        return transport.departure().await(wait);
    }

    /** Waits for something that is worth nothing once the client has left: {@link #clientLeft} tells whether that ended the wait. */
    public <T> T awaitForClient(Wait<T> wait) throws IOException, InterruptedException {
        return transport.awaitForClient(wait);
    }

    /** Whether the client has closed its side, as far as somebody watched it. */
    public boolean clientLeft() {
        return transport.departure().departed();
    }

    /** Makes it a WebSocket: the conversation is opened once the handshake is found sound, and then runs on a thread of its own. */
    public void upgrade(Supplier<Conversation> opening) {
        transport.upgrade(opening);
    }

    private static SandglassException tooLarge() {
        return new SandglassException(
                ErrorCode.TOO_LARGE, "The JSON body is larger than " + MAX_JSON_BYTES + " bytes.", "Send large content as a file.");
    }
}
