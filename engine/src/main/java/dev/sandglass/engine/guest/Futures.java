package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waiting for a future whose failure is one of our exceptions. */
final class Futures {
    private Futures() {}

    /** The value, or {@code null} when the time is over. */
    static <T> @Nullable T await(CompletableFuture<T> future, long timeout, TimeUnit unit) throws InterruptedException {
        try {
            return future.get(timeout, unit);
        } catch (TimeoutException over) {
            return null;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof SandglassException problem) {
                // A new one, so that the stack trace shows who waited.
                throw problem instanceof UnsentException
                        ? new UnsentException(problem)
                        : new SandglassException(problem.code(), problem.what(), problem.hint(), problem);
            }
            throw new AssertionError(failed);
        }
    }

    /** What to throw where an interrupt can only mean that the daemon stops. */
    static SandglassException stopping(InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
    }
}
