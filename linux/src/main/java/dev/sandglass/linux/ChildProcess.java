package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Programs that are started beside this one. Thread-safe. */
public final class ChildProcess {
    /** Five pipes, and the files that a stream is redirected to. */
    private static final int EACH = 12;
    /** For what others open between the look and the start. */
    private static final int OTHERS = 20;

    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final AtomicInteger STARTING = new AtomicInteger();

    private ChildProcess() {}

    /**
     * Starts it, if there is room for the descriptors that it takes. The JDK's own start that runs out of them closes two numbers that it reads from memory
     * which nobody wrote (the pipe of the environment, when an earlier one could not be made): those of anybody's files.
     */
    public static Process start(ProcessBuilder builder) throws IOException {
        int atOnce = STARTING.incrementAndGet();
        try {
            requireRoom(OTHERS + EACH * atOnce);
            return builder.start();
        } finally {
            STARTING.decrementAndGet();
        }
    }

    /** Something that ends when it is closed. */
    public interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** Kills a process whose time is over, until that is closed: who waits for its words sees their end then. */
    public static Watch killAfter(Process process, Duration time) {
        Thread watch = Thread.ofVirtual().name("kill-" + process.pid()).start(() -> {
            try {
                if (!process.waitFor(time)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException inTime) {
                // it is wanted no longer
            }
        });
        return watch::interrupt;
    }

    private static void requireRoom(int descriptors) throws IOException {
        List<Fd> room = new ArrayList<>();
        try (Fd root = Fd.open(Path.of("/"), SystemCall.O_PATH)) {
            while (room.size() < descriptors) {
                // SAFETY: takes numbers only.
                room.add(Fd.of(Libc.call("room for a program's streams", SystemCall.FCNTL, root.number(), F_DUPFD_CLOEXEC, 0)));
            }
        } finally {
            for (Fd each : room) {
                each.close();
            }
        }
    }
}
