package dev.sandglass.client;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Lines;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.WatchEvent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A directory that is watched until this is closed. */
public final class WatchHandle implements AutoCloseable {
    private final Client client;
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable RuntimeException failure;

    WatchHandle(Client client, Lines<WatchEvent> events, Consumer<WatchEvent> listener) {
        this.client = client;
        if (events.next() == null) { // the first says that it is in place
            throw new SandglassException(ErrorCode.FILE_REFUSED, "The watch has ended.", "The directory may have been removed.");
        }
        this.thread = new Thread(() -> tell(events, listener), "watch");
        thread.setDaemon(true);
        thread.start();
    }

    private void tell(Lines<WatchEvent> events, Consumer<WatchEvent> listener) {
        try {
            for (WatchEvent event = events.next(); event != null; event = events.next()) {
                listener.accept(event);
            }
        } catch (RuntimeException problem) {
            if (!closed) {
                failure = problem;
            }
        }
    }

    /** Ends it. Throws what it broke with, if it did. */
    @Override
    public void close() {
        closed = true;
        client.close();
        RuntimeException problem = failure;
        if (problem != null) {
            throw problem;
        }
    }
}
