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

    /** The results in the order of the tasks; the first failure is thrown when all have ended, with the others below it. */
    static <T> List<T> all(List<? extends Callable<T>> tasks) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<T> results = new ArrayList<>();
            List<Throwable> failures = new ArrayList<>();
            for (Future<T> result : threads.invokeAll(tasks)) {
                try {
                    results.add(result.get());
                } catch (ExecutionException failed) {
                    failures.add(failed.getCause());
                }
            }
            if (!failures.isEmpty()) {
                AssertionError first = new AssertionError(failures.getFirst());
                failures.stream().skip(1).forEach(first::addSuppressed);
                throw first;
            }
            return results;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", stopped);
        }
    }
}
