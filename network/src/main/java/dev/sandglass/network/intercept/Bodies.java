package dev.sandglass.network.intercept;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;

/** Reads bodies whole, where something depends on what is in them: as many as there is room for, each within a time. Thread-safe. */
final class Bodies {
    static final int MOST = 1 << 20;
    private static final int ALL = 64 << 20;
    private static final int OF_ONE = 16 << 20;
    private static final long SECONDS = 30;

    private final Room room = new Room(ALL, OF_ONE);

    /** What came of it. */
    sealed interface Outcome {
        /** @param share the room that it takes, which is given back when the request is over */
        record Whole(ByteBuffer body, Room.Share share) implements Outcome {}

        record Unread(int status, String why) implements Outcome {}
    }

    static final Outcome.Unread FULL = new Outcome.Unread(HttpStatus.SERVICE_UNAVAILABLE_503, "too many bodies are held at once");
    private static final Outcome.Unread TOO_LONG = new Outcome.Unread(HttpStatus.PAYLOAD_TOO_LARGE_413, "its body is longer than " + MOST + " bytes");

    /** @param owner whose request it is */
    void read(Request asked, Object owner, Consumer<Outcome> then) {
        long length = asked.getLength();
        if (length > MOST) {
            then.accept(TOO_LONG);
            return;
        }
        Optional<Room.Share> share = room.take(owner, length < 0 ? MOST : (int) length);
        if (share.isEmpty()) {
            then.accept(FULL);
            return;
        }
        Request.addCompletionListener(asked, _ -> share.get().giveBack());
        new Reading(asked, share.get(), then).begin();
    }

    /** Copies what comes: a buffer that is kept for a byte that came alone is much larger than that byte. */
    private static final class Reading implements Runnable {
        private final Request asked;
        private final Room.Share share;
        private final Consumer<Outcome> then;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final Scheduler.Task deadline;

        Reading(Request asked, Room.Share share, Consumer<Outcome> then) {
            this.asked = asked;
            this.share = share;
            this.then = then;
            this.deadline = asked.getComponents().getScheduler().schedule(() -> asked.fail(new TimeoutException("the body did not come in time")), SECONDS, TimeUnit.SECONDS);
        }

        void begin() {
            run();
        }

        @Override
        public void run() {
            for (Content.Chunk chunk = asked.read(); ; chunk = asked.read()) {
                if (chunk == null) {
                    asked.demand(this);
                    return;
                }
                if (Content.Chunk.isFailure(chunk)) {
                    end(new Outcome.Unread(HttpStatus.BAD_REQUEST_400, "its body does not come to its end"));
                    return;
                }
                boolean isLast = chunk.isLast();
                boolean fits = bytes.size() + chunk.remaining() <= MOST;
                if (fits) {
                    byte[] part = new byte[chunk.remaining()];
                    chunk.getByteBuffer().get(part);
                    bytes.writeBytes(part);
                }
                chunk.release();
                if (!fits) {
                    end(TOO_LONG);
                    return;
                }
                if (isLast) {
                    share.resize(bytes.size());
                    end(new Outcome.Whole(ByteBuffer.wrap(bytes.toByteArray()), share));
                    return;
                }
            }
        }

        private void end(Outcome outcome) {
            deadline.cancel();
            then.accept(outcome);
        }
    }
}
