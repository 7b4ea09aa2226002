package dev.sandglass.network.egress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;

/**
 * How many connections sandboxes may have through this daemon at once, and each of them: a connection has two descriptors and some memory, and a sandbox that takes all it can
 * must leave enough to the others and to the daemon. Thread-safe.
 */
final class Capacity {
    private static final int MOST = 8192;
    private static final int MOST_OF_ONE = 2048;
    private static final String OPEN_FILES = "Max open files";

    private final int ofOne;
    private final Semaphore places;

    /** @param descriptors that the daemon may have open */
    Capacity(long descriptors) {
        int all = Math.clamp(descriptors / 4, 4, MOST);
        this.ofOne = Math.min(MOST_OF_ONE, all / 4);
        this.places = new Semaphore(all);
    }

    static Capacity ofThisProcess() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
                if (line.startsWith(OPEN_FILES)) {
                    String soft = line.substring(OPEN_FILES.length()).strip().split("\\s+")[0];
                    return new Capacity(soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft));
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return new Capacity(MOST);
    }

    int ofOne() {
        return ofOne;
    }

    boolean take() {
        return places.tryAcquire();
    }

    void giveBack() {
        places.release();
    }
}
