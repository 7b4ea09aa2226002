package dev.sandglass.server.route;

import dev.sandglass.engine.port.PortConnection;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/** Reads what a program in a sandbox answers, which may be anything. Used by one thread; what is read is whole or an exception. */
final class AnswerReader implements HttpParser.ResponseHandler {
    static final int MAX_HEAD_BYTES = 32 * 1024;
    private static final int BUFFER_BYTES = 1 << 15;
    private static final int LAST_STATUS = 599;

    private final PortConnection connection;
    private final HttpParser parser = new HttpParser(this, MAX_HEAD_BYTES, HttpCompliance.RFC9110);
    private final byte[] bytes = new byte[BUFFER_BYTES];
    private ByteBuffer buffer = ByteBuffer.wrap(bytes).limit(0);
    private HttpVersion version = HttpVersion.HTTP_1_1;
    private int status;
    private HttpFields.Mutable fields = HttpFields.build();
    private boolean headed;
    private @Nullable ByteBuffer content;
    private boolean complete;
    private boolean begun;
    private final boolean toHead;
    private @Nullable String fault;

    /** @param head whether a HEAD was sent, which has no body to its answer */
    AnswerReader(PortConnection connection, boolean head) {
        this.connection = connection;
        this.toHead = head;
        parser.setHeadResponse(head);
    }

    /** Whether anything has come at all. */
    boolean hasBegun() {
        return begun;
    }

    /** Whether the answer is through, and nothing more has come than it. */
    boolean isOver() {
        return complete && content == null && !buffer.hasRemaining();
    }

    /** Whether there is nothing left of the answer but what {@link #next} has given. */
    boolean isComplete() {
        return complete && content == null;
    }

    /** What came behind a head after which another protocol is spoken. */
    ByteBuffer rest() {
        return buffer;
    }

    /** The next head; one that was too slow in coming can be waited for again. */
    AnswerHead head(Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!headed) {
            if (!parse()) {
                fill(left(deadline)); // for all of it: it may come byte by byte
            }
        }
        AnswerHead head = new AnswerHead(version, status, fields.asImmutable());
        if (status > LAST_STATUS) {
            throw new ProtocolException("status " + status);
        }
        if (head.isInterim() || status == HttpStatus.SWITCHING_PROTOCOLS_101) {
            while (!complete && parse()) {} // there is nothing more of it
        }
        if (head.isInterim()) {
            parser.reset();
            parser.setHeadResponse(toHead);
            headed = false;
            complete = false;
        }
        return head;
    }

    private static Duration left(long deadline) throws SocketTimeoutException {
        long nanos = deadline - System.nanoTime();
        if (nanos <= 0) {
            throw new SocketTimeoutException("its head is not there yet");
        }
        return Duration.ofNanos(nanos);
    }

    /** The next piece of the body, good until the next call; nothing at its end. */
    Optional<ByteBuffer> next(Duration patience) throws IOException {
        while (content == null && !complete) {
            if (!parse()) {
                fill(patience);
            }
        }
        ByteBuffer piece = content;
        content = null;
        if (piece != null) {
            parse(); // the end may be there already
        }
        return Optional.ofNullable(piece);
    }

    /** Goes on with what is there; false when more must come first. */
    private boolean parse() throws IOException {
        boolean event = false;
        do {
            event = parser.parseNext(buffer);
        } while (!event && buffer.hasRemaining() && fault == null);
        if (fault != null) {
            throw new ProtocolException(fault);
        }
        return event;
    }

    private void fill(Duration patience) throws IOException {
        int read = connection.read(bytes, 0, bytes.length, patience);
        if (read < 0) {
            buffer = BufferUtil.EMPTY_BUFFER;
            parser.atEOF();
            parse();
            if (!headed || (!complete && content == null)) {
                throw new ProtocolException("it ended early");
            }
            return;
        }
        begun = true;
        buffer = ByteBuffer.wrap(bytes, 0, read);
    }

    // -- for the parser

    @Override
    public void startResponse(HttpVersion said, int code, String reason) {
        version = said;
        status = code;
        fields = HttpFields.build();
    }

    @Override
    public void parsedHeader(HttpField field) {
        fields.add(field);
    }

    @Override
    public boolean headerComplete() {
        headed = true;
        return true;
    }

    @Override
    public boolean content(ByteBuffer piece) {
        content = piece;
        return true;
    }

    @Override
    public boolean contentComplete() {
        return false;
    }

    @Override
    public boolean messageComplete() {
        complete = true;
        return true;
    }

    @Override
    public void earlyEOF() {
        fault = "it ended early";
    }

    @Override
    public void badMessage(HttpException failure) {
        fault = String.valueOf(failure.getReason());
    }
}
