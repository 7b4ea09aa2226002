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

/** Ends bodies of which nothing more comes. Thread-safe. */
final class Watchdog implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(250);

    private final Set<Guarded> guarded = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("registry-watchdog").factory());

    Watchdog() {
        clock.scheduleWithFixedDelay(() -> guarded.forEach(Guarded::look), LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** @param failure what to throw instead of what the network says */
    InputStream guard(InputStream body, Duration patience, Function<String, RuntimeException> failure) {
        Guarded stream = new Guarded(body, patience, failure);
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
        private final Function<String, RuntimeException> failure;
        private volatile boolean reads;
        private volatile boolean late;
        private volatile long since;

        Guarded(InputStream body, Duration patience, Function<String, RuntimeException> failure) {
            super(body);
            this.patience = patience;
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
            reads = true;
            try {
                return in.read(buffer, offset, length);
            } catch (IOException problem) {
                throw failure.apply(late ? "nothing more came for " + patience.toSeconds() + " s" : String.valueOf(problem.getMessage()));
            } finally {
                reads = false;
            }
        }

        @Override
        public boolean markSupported() {
            return false;
        }

        void look() {
            if (reads && System.nanoTime() - since > patience.toNanos()) {
                late = true;
                end();
            }
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
