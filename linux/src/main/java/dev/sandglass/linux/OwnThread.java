package dev.sandglass.linux;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * System calls that take long, or that change the thread that makes them, on a platform thread that lives for this call
 * only: in a virtual thread they would hold a carrier from everybody else.
 */
public final class OwnThread {
    /** Work that may fail. */
    public interface Work<T> {
        T run() throws IOException;
    }

    /** Work that may fail and gives nothing. */
    public interface Task {
        void run() throws IOException;
    }

    private OwnThread() {}

    public static void run(String name, Task task) throws IOException {
        call(name, () -> {
            task.run();
            return true;
        });
    }

    /** Runs it and waits for its end, whether interrupted or not: what it does must be bounded by itself. */
    public static <T> T call(String name, Work<T> work) throws IOException {
        AtomicReference<@Nullable T> result = new AtomicReference<>();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().name(name).start(() -> {
            try {
                result.set(work.run());
            } catch (IOException | RuntimeException | Error problem) {
                failure.set(problem);
            }
        });
        join(thread);
        switch (failure.get()) {
            case null -> {}
            case IOException problem -> throw problem;
            case RuntimeException problem -> throw problem;
            case Throwable problem -> throw new IOException(problem);
        }
        return Objects.requireNonNull(result.get());
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
