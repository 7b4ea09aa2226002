package dev.sandglass.network.oci;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Ends bodies of which nothing more comes, or too little for too long. Thread-safe. */
final class Watchdog implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(250);

    private final Set<Guarded> guarded = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("registry-watchdog").factory());

    Watchdog() {
        clock.scheduleWithFixedDelay(() -> guarded.forEach(Guarded::look), LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * @param patience for more
     * @param whole for all of it, from now on
     * @param failure what to throw instead of what the network says
     */
    InputStream guard(InputStream body, Duration patience, Duration whole, Function<String, RuntimeException> failure) {
        Guarded stream = new Guarded(body, patience, whole, failure);
        guarded.add(stream);
        return stream;
    }

    @Override
    public void close() {
        clock.shutdownNow();
        guarded.forEach(Guarded::end);
    }

    private final class Guarded extends FilterInputStream {
        private final Duration patience;
        private final Duration whole;
        private final Function<String, RuntimeException> failure;
        private volatile boolean reads;
        private final long begun = System.nanoTime();
        private volatile String late = "";
        private volatile long since;

        Guarded(InputStream body, Duration patience, Duration whole, Function<String, RuntimeException> failure) {
            super(body);
            this.patience = patience;
            this.whole = whole;
            this.failure = failure;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] buffer, int offset, int length) {
            since = System.nanoTime();
            if (since - begun > whole.toNanos()) {
                throw failure.apply(slow());
            }
            reads = true;
            try {
                return in.read(buffer, offset, length);
            } catch (IOException problem) {
                throw failure.apply(late.isEmpty() ? String.valueOf(problem.getMessage()) : late);
            } finally {
                reads = false;
            }
        }

        @Override
        public boolean markSupported() {
            return false;
        }

        void look() {
            long now = System.nanoTime();
            if (reads && now - since > patience.toNanos()) {
                late = "nothing more came for " + patience.toSeconds() + " s";
                end();
            } else if (reads && now - begun > whole.toNanos()) {
                late = slow();
                end();
            }
        }

        private String slow() {
            return "it did not come within " + whole.toSeconds() + " s";
        }

        void end() {
            try {
                in.close();
            } catch (IOException ended) {
                return; // as it was to
            }
        }

        @Override
        public void close() throws IOException {
            guarded.remove(this);
            in.close();
        }
    }
}
