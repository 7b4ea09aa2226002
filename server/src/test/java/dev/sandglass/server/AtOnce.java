package dev.sandglass.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does things at the same time. */
final class AtOnce {
    private AtOnce() {}

    /** The results in the order of the tasks; the first failure is thrown when all have ended. */
    static <T> List<T> all(List<? extends Callable<T>> tasks) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<T> results = new ArrayList<>();
            for (Future<T> result : threads.invokeAll(tasks)) {
                results.add(result.get());
            }
            return results;
        } catch (ExecutionException failed) {
            throw new AssertionError(failed.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", stopped);
        }
    }
}
