package dev.sandglass.network.intercept;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** A request with a body that was read, or with another in its place. */
final class Replayed extends Request.Wrapper {
    private final int length;
    private @Nullable ByteBuffer rest;

    Replayed(Request asked, ByteBuffer body) {
        super(asked);
        this.length = body.remaining();
        this.rest = body;
    }

    @Override
    public HttpFields getHeaders() {
        HttpFields.Mutable fields = HttpFields.build(super.getHeaders()).remove(HttpHeader.EXPECT); // it has come
        if (fields.contains(HttpHeader.CONTENT_LENGTH)) {
            fields.put(HttpHeader.CONTENT_LENGTH, length);
        }
        return fields.asImmutable();
    }

    @Override
    public long getLength() {
        return length;
    }

    @Override
    public Content.@Nullable Chunk read() {
        ByteBuffer whole = rest;
        rest = null;
        return whole == null ? Content.Chunk.EOF : Content.Chunk.from(whole, true);
    }

    @Override
    public void demand(Runnable action) {
        action.run();
    }
}
