package dev.sandglass.engine.life;

import dev.sandglass.engine.sandbox.SandboxId;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** One lock per sandbox, there only while somebody holds or wants it. */
final class Locks {
    /** A lock that is held until it is closed. */
    interface Held extends AutoCloseable {
        @Override
        void close();
    }

    private static final class Shared {
        private final ReentrantLock lock = new ReentrantLock();
        private int users;
    }

    private final Map<SandboxId, Shared> locks = new HashMap<>();

    Held hold(SandboxId id) {
        Shared shared;
        synchronized (locks) {
            shared = locks.computeIfAbsent(id, _ -> new Shared());
            shared.users++;
        }
        shared.lock.lock();
        return () -> release(id, shared);
    }

    private void release(SandboxId id, Shared shared) {
        shared.lock.unlock();
        synchronized (locks) {
            if (--shared.users == 0) {
                locks.remove(id);
            }
        }
    }
}
