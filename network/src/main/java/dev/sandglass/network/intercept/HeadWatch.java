package dev.sandglass.network.intercept;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import org.eclipse.jetty.http2.frames.FrameType;
import org.eclipse.jetty.http2.parser.HeaderParser;
import org.eclipse.jetty.http2.parser.ServerParser;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.util.BufferUtil;

/** Reads HTTP/2 as the library does, and knows whose head it reads, which the library tells nobody when it cannot read it. For one thread at a time. */
final class HeadWatch extends ServerParser {
    private HeaderParser frame = new HeaderParser(RateControl.NO_RATE_CONTROL);
    private int head;
    private boolean isStopped;

    HeadWatch(ByteBufferPool buffers, int mostOfAHead, RateControl rates) {
        super(buffers, mostOfAHead, rates);
    }

    /** The stream whose head is being read, if that is what is being read. */
    OptionalInt head() {
        return head == 0 ? OptionalInt.empty() : OptionalInt.of(head);
    }

    /** Reads nothing more: what comes is dropped, because the other side reads no answer before it has said everything. */
    void stop() {
        isStopped = true;
    }

    @Override
    public void parse(ByteBuffer buffer) {
        if (isStopped) {
            BufferUtil.clear(buffer);
        } else {
            super.parse(buffer);
        }
    }

    @Override
    protected boolean parseHeader(ByteBuffer buffer) {
        if (frame.parse(buffer.slice())) {
            head = switch (FrameType.from(frame.getFrameType())) {
                case HEADERS -> frame.getStreamId();
                case CONTINUATION -> head;
                case null, default -> 0;
            };
            frame = new HeaderParser(RateControl.NO_RATE_CONTROL);
        }
        return super.parseHeader(buffer);
    }
}
