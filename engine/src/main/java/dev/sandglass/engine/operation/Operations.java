package dev.sandglass.engine.operation;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** The operations of this daemon. Thread-safe. */
public final class Operations implements AutoCloseable {
    private static final int AT_ONCE = 256;
    private static final int KEPT = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Map<String, Work> works = new LinkedHashMap<>();

    /** Begins work that goes on when the caller leaves. */
    public OperationStatus start(String kind, Callable<Sandbox> work) {
        byte[] random = new byte[6];
        RANDOM.nextBytes(random);
        String id = "op-" + HexFormat.of().formatHex(random);
        Work begun = new Work(id, kind);
        synchronized (works) {
            if (works.values().stream().filter(Work::running).count() >= AT_ONCE) {
                throw new SandglassException(
                        ErrorCode.LIMIT_REACHED, "There are " + AT_ONCE + " operations at work.", "Wait for one to end.");
            }
            works.entrySet().stream()
                    .filter(entry -> !entry.getValue().running())
                    .map(Map.Entry::getKey)
                    .limit(Math.max(0, works.size() - KEPT + 1))
                    .toList()
                    .forEach(works::remove);
            works.put(id, begun);
        }
        Thread.ofVirtual().name(id).start(() -> begun.run(work));
        return begun.progress().status();
    }

    public OperationStatus get(String id) {
        return find(id).progress().status();
    }

    /** The operation once it has changed after that version or has ended, or as it is when the time is over. */
    public Progress await(String id, long seen, Duration patience) throws InterruptedException {
        return find(id).await(seen, patience);
    }

    private Work find(String id) {
        synchronized (works) {
            Work found = works.get(id);
            if (found == null) {
                throw new SandglassException(
                        ErrorCode.OPERATION_NOT_FOUND,
                        "There is no operation " + id + ".",
                        "It ended long ago, or the daemon was restarted: then what it had begun was undone. List the sandboxes to see what there is.");
            }
            return found;
        }
    }

    /** Gives what is at work some time to come to its end; what does not is undone by the next daemon. */
    @Override
    public void close() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        List<Work> open;
        synchronized (works) {
            open = works.values().stream().filter(Work::running).toList();
        }
        try {
            for (Work work : open) {
                while (work.running() && System.nanoTime() < deadline) {
                    work.await(Long.MAX_VALUE, Duration.ofNanos(deadline - System.nanoTime()));
                }
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
