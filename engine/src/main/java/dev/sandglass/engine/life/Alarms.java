package dev.sandglass.engine.life;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Tells when something is due, at most one alarm for each. One thread waits for all of them, by a clock that nobody sets; what is due is done on
 * threads of its own. Thread-safe.
 */
public final class Alarms<K> implements AutoCloseable {
    private final String name;
    private final Consumer<K> due;
    private final Map<K, Future<?>> waiting = new ConcurrentHashMap<>();
    private final ScheduledThreadPoolExecutor thread;

    /** @param name of the threads */
    public Alarms(String name, Consumer<K> due) {
        this.name = name;
        this.due = due;
        this.thread = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name(name).factory());
        thread.setRemoveOnCancelPolicy(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** In the place of an alarm that was set before. After the end there are none: who begins again sets them again. */
    public void set(K key, Duration later) {
        Future<?> mine;
        try {
            mine = thread.schedule(
                    () -> Thread.ofVirtual().name(name + "-" + key).start(() -> due.accept(key)), later.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            return;
        }
        Future<?> before = waiting.put(key, mine);
        if (before != null) {
            before.cancel(false);
        }
    }

    public void cancel(K key) {
        Future<?> noted = waiting.remove(key);
        if (noted != null) {
            noted.cancel(false);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
