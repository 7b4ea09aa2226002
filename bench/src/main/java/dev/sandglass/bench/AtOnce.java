package dev.sandglass.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Many things, some of them at a time. */
public final class AtOnce {
    /** One of them. */
    public interface Task<T> extends Callable<T> {
        @Override
        T call() throws IOException;
    }

    private AtOnce() {}

    /** Does all of them on so many threads and waits for the last. */
    public static <T> List<T> run(int threads, List<? extends Task<T>> tasks) throws IOException {
        List<T> done = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (Future<T> each : executor.invokeAll(tasks)) {
                done.add(each.get());
            }
            return done;
        } catch (ExecutionException problem) {
            throw new IOException(String.valueOf(problem.getCause()), problem);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        }
    }
}
