package dev.sandglass.engine.guest;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Somebody who reads the output of a stream at an own pace. One thread reads; closing it leaves the stream as it is. */
public final class GuestReader implements AutoCloseable {
    /** For who sets no time: a program may be silent for as long as it likes. */
    public static final Duration FOR_EVER = Duration.ofDays(10_000);

    private final GuestStream stream;
    private final GuestOutput output;
    // What follows is guarded by the output's lock.
    private final ArrayDeque<GuestEvent> events = new ArrayDeque<>();
    private long queued;
    private long position;
    private boolean joined;
    private boolean behind;
    private long tookAt = System.nanoTime();
    private boolean closed;
    private boolean toldTheEnd;

    GuestReader(GuestStream stream, GuestOutput output, long position) {
        this.stream = stream;
        this.output = output;
        this.position = position;
    }

    public GuestStream stream() {
        return stream;
    }

    /** The next event; blocks for it, and gives credit for what it takes. */
    public GuestEvent next() throws InterruptedException {
        return output.next(this, FOR_EVER);
    }

    /** The same, but {@code guest_timeout} when nothing has come for that long. */
    public GuestEvent next(Duration patience) throws InterruptedException {
        return output.next(this, patience);
    }

    /** Whether {@link #next} would return at once. */
    public boolean hasNext() {
        return output.hasNext(this);
    }

    @Override
    public void close() {
        output.detach(this);
    }

    // -- for its output, under the output's lock

    /** Bytes of output that wait here. */
    long queued() {
        return queued;
    }

    /** Up to where output was queued. */
    long position() {
        return position;
    }

    boolean closed() {
        return closed;
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    int size() {
        return events.size();
    }

    @Nullable GuestEvent peek() {
        return events.peek();
    }

    /** What comes from now on is for it too. */
    void join() {
        joined = true;
    }

    /** Queues what this reader has not had: when another one came, the agent began again with what it still had. */
    boolean give(int kind, long offset, ByteBuffer bytes) {
        if (!joined) {
            return false;
        }
        int had = (int) Math.clamp(position - offset, 0L, (long) bytes.remaining());
        if (had == bytes.remaining()) {
            return false;
        }
        position = offset + bytes.remaining();
        if (behind) {
            return false;
        }
        queued += bytes.remaining() - had;
        return add(new GuestEvent.Output(kind, offset + had, bytes.slice(bytes.position() + had, bytes.remaining() - had)));
    }

    /** Whether it may be waiting for this. */
    boolean add(GuestEvent event) {
        if (event instanceof GuestEvent.Ended) {
            if (toldTheEnd) {
                return false;
            }
            toldTheEnd = true;
        }
        events.add(event);
        return events.size() == 1;
    }

    /** It takes again what comes. */
    void resume() {
        behind = false;
    }

    @Nullable GuestEvent poll() {
        GuestEvent event = events.poll();
        if (event != null) {
            tookAt = System.nanoTime();
        }
        if (event instanceof GuestEvent.Output(_, _, ByteBuffer bytes)) {
            queued -= bytes.remaining();
        }
        return event;
    }

    /** One that has taken nothing since then loses what is there and all that comes until it asks for more; the offset of that tells. */
    void skipUnlessReading(long since) {
        if (tookAt - since >= 0) {
            return;
        }
        behind |= !events.isEmpty();
        events.removeIf(GuestEvent.Output.class::isInstance);
        queued = 0;
    }

    void end() {
        closed = true;
        events.clear();
    }
}
