package dev.sandglass.runtime.oci;

import dev.sandglass.linux.ErrnoException;
import dev.sandglass.linux.ProcessRoot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Root filesystems of sandboxes that go for good, held for a moment. The last who lets go of an overlay waits until the whole filesystem below it is on the disk:
 * that would be most of the time in which PID 1 dies. So its root is held while it does, and let go of later, together with those of others that went: those
 * behind the first may find it written. Thread-safe.
 */
final class LateUnmounts {
    private static final Logger LOG = LoggerFactory.getLogger(LateUnmounts.class);
    private static final Duration MOMENT = Duration.ofMillis(500);

    /** A bound for descriptors; whoever comes then is not held. */
    private static final int MOST = 64;

    private List<ProcessRoot> held = new ArrayList<>();
    /** With those that are being let go of. */
    private int open;

    /** Holds the root of the oldest of these processes, if there are any. */
    void hold(Set<Long> processes) {
        if (hasRoom()) {
            processes.stream().findFirst().flatMap(ProcessRoot::of).ifPresent(this::add);
        }
    }

    private synchronized boolean hasRoom() {
        return open < MOST;
    }

    private synchronized void add(ProcessRoot root) {
        held.add(root);
        open++;
        if (held.size() == 1) {
            Thread.ofPlatform().daemon().name("late-unmounts").start(this::letGo);
        }
    }

    private void letGo() {
        LockSupport.parkNanos(MOMENT.toNanos());
        for (ProcessRoot root : taken()) {
            try {
                root.close();
            } catch (ErrnoException problem) {
                LOG.warn("A root filesystem was not written to the disk as it should: {}", problem.getMessage());
            } finally {
                closed();
            }
        }
    }

    private synchronized void closed() {
        open--;
    }

    private synchronized List<ProcessRoot> taken() {
        List<ProcessRoot> all = held;
        held = new ArrayList<>();
        return all;
    }
}
