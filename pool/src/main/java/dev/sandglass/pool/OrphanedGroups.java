package dev.sandglass.pool;

import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.BtrfsQuota;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Quota groups of subvolumes that were destroyed. One can go when the kernel has taken its subvolume apart, some time after the destruction; with simple quotas
 * not before nothing holds a block that was written there, and a layer may hold one for months. So they are remembered, and a thread tries all of them again and
 * again, while the kernel has something to take apart and for a while after: that is when they may become free. The thread is not there otherwise. There are
 * never more of them than groups in the kernel. Thread-safe.
 */
final class OrphanedGroups {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedGroups.class);

    /** Below are the filesystem's own trees. */
    private static final long FIRST_SUBVOLUME = 256;

    private static final Duration OFTEN = Duration.ofMillis(500);
    private static final Duration SELDOM = Duration.ofSeconds(4);
    /** What became free is counted when the kernel commits: every 30 seconds, unless it is told otherwise. */
    private static final Duration PATIENCE = Duration.ofSeconds(100);

    private final Path directory;
    private final BtrfsQuota quota;
    /** Their subvolumes are being taken apart. */
    private final Set<Long> fresh = new LinkedHashSet<>();
    /** Their subvolumes are gone. */
    private final Set<Long> outlasting = new LinkedHashSet<>();
    private boolean attended;
    private long quietSince;

    OrphanedGroups(Path directory, BtrfsQuota quota) {
        this.directory = directory;
        this.quota = quota;
    }

    /** Finds those that earlier daemons left. */
    void sweep() throws IOException {
        for (long id : quota.groups()) {
            if (id >= FIRST_SUBVOLUME && !Btrfs.isPlaced(directory, id)) {
                add(id);
            }
        }
    }

    /** Remembers the group of a subvolume that was destroyed just now. */
    synchronized void add(long id) {
        fresh.add(id);
        notQuiet();
        if (!attended) {
            attended = true;
            Thread.ofPlatform().daemon().name("quota-groups").start(this::attend);
        }
    }

    private void attend() {
        try {
            Duration pause = OFTEN;
            while (!isDone()) {
                pause = looked() ? OFTEN : shorter(pause.multipliedBy(2), SELDOM);
                Thread.sleep(pause);
            }
        } catch (InterruptedException nobodyDoes) {
            abandon();
            throw new IllegalStateException(nobodyDoes);
        } catch (RuntimeException | Error problem) {
            abandon();
            throw problem;
        }
    }

    /** The next one that comes finds nobody, and begins again. */
    private synchronized void abandon() {
        attended = false;
    }

    /**
     * Whether the kernel is through with any of them since the last time. Which subvolumes are gone is asked first: a group is tried after all that may
     * have held its blocks.
     */
    private boolean looked() {
        boolean someWent = false;
        for (long id : copy(fresh)) {
            someWent |= isGone(id);
        }
        copy(outlasting).forEach(this::remove);
        return someWent;
    }

    private boolean isGone(long id) {
        try {
            boolean gone = !Btrfs.exists(directory, id);
            notQuiet();
            if (gone) {
                synchronized (this) {
                    fresh.remove(id);
                    outlasting.add(id);
                }
            }
            return gone;
        } catch (IOException problem) {
            LOG.debug("The subvolume {} could not be looked at", id, problem); // the filesystem may be gone, or this may pass
            return false;
        }
    }

    private void remove(long id) {
        try {
            if (quota.removeGroup(id)) {
                synchronized (this) {
                    outlasting.remove(id);
                }
            }
        } catch (IOException problem) {
            LOG.debug("The quota group {} could not be removed", id, problem); // the others may be
        }
    }

    private synchronized void notQuiet() {
        quietSince = System.nanoTime();
    }

    private synchronized boolean isDone() {
        boolean quiet = System.nanoTime() - quietSince > PATIENCE.toNanos();
        attended = !quiet && !(fresh.isEmpty() && outlasting.isEmpty());
        return !attended;
    }

    private synchronized List<Long> copy(Set<Long> ids) {
        return List.copyOf(ids);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
