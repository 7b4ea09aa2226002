package dev.sandglass.client.archive;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Files that are written one after the other, each beside its place and under a name of no meaning until it is whole. What is not whole when this is closed
 * goes, and so it does when a signal ends the process. Thread-safe.
 */
public final class Draft implements AutoCloseable {
    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private final String name = ".sandglass-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
    private final Thread hook = new Thread(this::giveUp, "remove-draft");
    private @Nullable Path begun;
    private boolean closed;

    public Draft() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Begins a file that is to take that place; the caller closes what he writes to, and then calls {@link #finish}. */
    public synchronized OutputStream begin(Path place, int mode) throws IOException {
        if (closed) {
            throw new IOException("the process is ending"); // or there would be one that nobody removes
        }
        Path draft = place.resolveSibling(name);
        OutputStream out = Channels.newOutputStream(Files.newByteChannel(draft, NEW, Permissions.attribute(mode | 0600)));
        begun = draft;
        return out;
    }

    /** What is done to a file that is whole. */
    public interface Finish {
        void to(Path whole) throws IOException;
    }

    /** Puts what was begun into its place, where it is seen with all that it is to have. A link there is replaced, not followed. */
    public synchronized void finish(Path place, Finish last) throws IOException {
        if (begun == null) {
            throw new IOException("the process is ending");
        }
        last.to(begun);
        Files.move(begun, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        begun = null;
    }

    @Override
    public void close() {
        giveUp();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException endingAlready) {
            return;
        }
    }

    private synchronized void giveUp() {
        closed = true;
        if (begun != null) {
            begun.toFile().delete(); // whoever is told of a problem is told of that which came before
            begun = null;
        }
    }
}
