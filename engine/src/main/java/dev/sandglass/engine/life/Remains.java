package dev.sandglass.engine.life;

import dev.sandglass.engine.sandbox.SandboxId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes away sandboxes of which no ledger knows, and remembers those that could not be taken away. Thread-safe. */
final class Remains {
    private static final Logger LOG = LoggerFactory.getLogger(Remains.class);
    private static final int MANY = 8;

    private final Construction construction;
    private final Map<SandboxId, String> left = new ConcurrentHashMap<>();

    Remains(Construction construction) {
        this.construction = construction;
    }

    /** Takes one away; if that fails, {@link #retry} tries it again. */
    void remove(SandboxId id, String runtime) {
        try {
            construction.remove(id, runtime);
            left.remove(id);
        } catch (RuntimeException problem) {
            if (left.put(id, runtime) == null) {
                LOG.warn("The spare sandbox {} could not be taken away; it is tried again", id, problem);
            }
        }
    }

    void retry() {
        left.forEach(this::remove);
    }

    /** Whether there are so many that there must not be more. */
    boolean areMany() {
        return left.size() > MANY;
    }
}
