package dev.sandglass.server.route;

import dev.sandglass.engine.port.PortConnection;
import dev.sandglass.server.http.ClientWatch;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * One request over a connection to a sandbox, and its answer, both as they come. The handler's thread reads the answer; a request with a body has another thread that sends it, for a
 * program may answer before it has read everything. A client that leaves is noticed within a second, and takes the connection with it.
 */
final class Passage {
    private static final Duration GLANCE = Duration.ofSeconds(1);
    private static final Duration END_OF_BODY = Duration.ofSeconds(10);
    private static final int MOST_INTERIM = 16;
    private static final int PIECE_BYTES = 1 << 15;

    private final Visit visit;
    private final PortConnection connection;
    private final Duration timeout;
    private final RequestWriter writer;
    private final AnswerReader reader;
    private final boolean hasBody;
    private boolean given;
    private @Nullable Thread sender;
    private @Nullable ClientWatch watch;
    private volatile long sentAt = System.nanoTime();
    /** Everything that is to be sent. */
    private volatile boolean sent;
    /** The program takes no more, and the client may still have some. */
    private volatile boolean cut;
    private volatile boolean departed;
    private volatile @Nullable IOException ofClient;
    private volatile @Nullable IOException ofSandbox;

    /** @param timeout how long the program may take to begin its answer, once it has been asked, and to take a piece of the body */
    Passage(Visit visit, PortConnection connection, MetaData.Request head, Duration timeout) {
        this.visit = visit;
        this.connection = connection;
        this.timeout = timeout;
        this.writer = new RequestWriter(connection, head, timeout);
        this.reader = new AnswerReader(connection, head.getMethod().equals("HEAD"));
        this.hasBody = visit.request().getHeaders().contains(HttpHeader.TRANSFER_ENCODING) || visit.request().getLength() > 0;
    }

    /** Whether the same could be asked once more: nothing has come of it, and it is of the kind that changes nothing by being said twice. */
    boolean canBeRepeated() {
        return !hasBody && !reader.hasBegun() && ofClient == null && visit.request().getMethod().matches("GET|HEAD|OPTIONS");
    }

    /** Sends the request and waits for the head of its answer. */
    AnswerHead ask() throws IOException {
        writer.send(BufferUtil.EMPTY_BUFFER, !hasBody);
        if (hasBody) {
            sender = Thread.ofVirtual().name("route-body").start(this::sendBody);
        } else {
            sentAt = System.nanoTime();
            sent = true;
        }
        for (int i = 0; i < MOST_INTERIM; i++) {
            AnswerHead head = head();
            if (!head.isInterim()) {
                return head;
            }
        }
        throw new ProtocolException("more than " + MOST_INTERIM + " interim answers");
    }

    private AnswerHead head() throws IOException {
        while (true) {
            Duration left = sent ? timeout.minusNanos(System.nanoTime() - sentAt) : GLANCE;
            if (left.isNegative() || left.isZero()) {
                throw new SocketTimeoutException("nothing was answered in " + timeout.toSeconds() + " s");
            }
            try {
                return reader.head(watch == null && left.compareTo(GLANCE) > 0 ? GLANCE : left);
            } catch (SocketTimeoutException notYet) {
                watch();
            }
        }
    }

    /** The next piece of the body. */
    Optional<ByteBuffer> next(Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                return reader.next(watch == null ? GLANCE : patience);
            } catch (SocketTimeoutException notYet) {
                if (watch != null || System.nanoTime() - deadline >= 0) {
                    throw notYet;
                }
                watch();
            }
        }
    }

    /** Whether nothing is left of the answer but the piece that came last. */
    boolean isLast() {
        return reader.isComplete();
    }

    /** What came behind the head of an answer after which another protocol is spoken. */
    ByteBuffer rest() {
        return reader.rest();
    }

    /** Whether the connection is as good as new, if the answer's head says that it stays. */
    boolean isClean() {
        return reader.isOver() && sent && !cut;
    }

    /** Whether the client has more to say that nobody will hear. */
    boolean leavesBody() {
        return hasBody && (!sent || cut);
    }

    /** Whom to blame for what went wrong: the client's own failure, if there was one. */
    Optional<IOException> clientFailure() {
        return Optional.ofNullable(ofClient);
    }

    /** Whether there is nobody left to be told. */
    boolean isDeserted() {
        return departed;
    }

    /** What went wrong when the body was sent, or else that. */
    IOException sandboxFailure(IOException other) {
        IOException first = ofSandbox;
        return first == null ? other : first;
    }

    /** Leaves the connection, over which the whole answer has come, for the next request. */
    void keep(KeptConnections kept) {
        given = true;
        kept.give(connection);
    }

    /** Somebody else looks after the connection now. */
    void give() {
        given = true;
    }

    /** Whether the connection is still ours to close. */
    boolean owns() {
        return !given;
    }

    /** Nothing more is read from the client; what it sent meanwhile is lost, and spoils the visit. */
    void stop() {
        Thread body = sender;
        if (body != null && body.isAlive()) {
            connection.close();
            body.interrupt();
            join(body);
        }
        ClientWatch watching = watch;
        watch = null;
        if (watching != null) {
            watching.close();
            if (watching.spoiled()) {
                visit.spoil();
            }
        }
    }

    /** One that does not end still reads from the client, which nobody else can then. */
    private void join(Thread body) {
        boolean over = false;
        try {
            over = body.join(END_OF_BODY);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        if (!over) {
            visit.spoil();
            visit.end().close();
        }
    }

    /** Only when the request is all there: until then somebody else reads from the client. */
    private void watch() {
        if (sent && !cut && watch == null) {
            watch = ClientWatch.of(visit.end(), () -> {
                departed = true;
                ofClient = new IOException("the client has left");
                Thread.ofVirtual().start(connection::close); // which may wait for the agent
            });
        }
    }

    // -- the thread that sends the body

    private void sendBody() {
        InputStream body = Content.Source.asInputStream(visit.request());
        byte[] piece = new byte[PIECE_BYTES];
        try {
            for (int read = read(body, piece); read >= 0; read = read(body, piece)) {
                writer.send(ByteBuffer.wrap(piece, 0, read), false);
            }
            writer.send(BufferUtil.EMPTY_BUFFER, true);
            sentAt = System.nanoTime();
            sent = true;
        } catch (SocketTimeoutException standsStill) {
            ofSandbox = standsStill;
            connection.close();
        } catch (IOException takesNoMore) { // its answer may say why
            cut = true;
            sentAt = System.nanoTime();
            sent = true;
        } catch (BrokenBody broken) {
            ofClient = broken.cause;
            connection.close();
        }
    }

    private int read(InputStream body, byte[] piece) throws BrokenBody {
        try {
            return body.read(piece);
        } catch (IOException | RuntimeException broken) {
            throw new BrokenBody(broken);
        }
    }

    /** The client's fault, not the sandbox's. */
    private static final class BrokenBody extends Exception {
        private static final long serialVersionUID = 1L;
        private final IOException cause;

        BrokenBody(Exception broken) {
            super(broken);
            this.cause = new IOException("the request's body broke off", broken);
        }
    }
}
