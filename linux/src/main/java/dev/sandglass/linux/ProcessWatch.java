package dev.sandglass.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Tells when processes end, children or not: one thread waits for all of them. Thread-safe; lives as long as the
 * program.
 */
public final class ProcessWatch {
    private static final long EPOLL_CLOEXEC = SystemCall.O_CLOEXEC;
    private static final int CTL_ADD = 1;
    private static final int CTL_DEL = 2;
    private static final int EPOLLIN = 1;
    private static final int BATCH = 64;
    /** struct epoll_event is packed on x86 only. */
    private static final int EVENT_BYTES = SystemCall.ARM ? 16 : 12;

    private static final int EVENT_DATA = EVENT_BYTES - 8;

    private record Watched(Fd process, Runnable onExit) {}

    private final int epoll;
    private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
    private final AtomicLong next = new AtomicLong();

    private ProcessWatch(int epoll) {
        this.epoll = epoll;
    }

    public static ProcessWatch start() throws ErrnoException {
        // SAFETY: takes a flag only.
        int epoll = (int) Libc.call("epoll_create1", SystemCall.EPOLL_CREATE1, EPOLL_CLOEXEC);
        ProcessWatch watch = new ProcessWatch(epoll);
        Thread.ofPlatform().daemon().name("process-watch").start(watch::run);
        return watch;
    }

    /**
     * Calls {@code onExit} once, on a virtual thread, when the process that has this pid and began at that time ends; at
     * once if it has ended. Closing the result gives the watch up.
     */
    public AutoCloseable watch(long pid, long startTicks, Runnable onExit) throws ErrnoException {
        Fd process;
        try {
            // SAFETY: takes numbers only.
            process = Fd.of(Libc.call("pidfd_open", SystemCall.PIDFD_OPEN, pid, 0));
        } catch (ErrnoException problem) {
            if (problem.errno() != Libc.ESRCH) {
                throw problem;
            }
            Thread.ofVirtual().start(onExit);
            return () -> {};
        }
        // Only now is it certain whose descriptor it is: the pid may have gone to another process before it was opened.
        if (!ProcessFacts.startTicks(pid).equals(OptionalLong.of(startTicks))) {
            process.close();
            Thread.ofVirtual().start(onExit);
            return () -> {};
        }
        long key = next.incrementAndGet();
        watched.put(key, new Watched(process, onExit));
        try {
            control(CTL_ADD, process, key);
        } catch (ErrnoException problem) {
            watched.remove(key);
            process.close();
            throw problem;
        }
        return () -> take(key);
    }

    private void run() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment events = arena.allocate((long) EVENT_BYTES * BATCH, 8);
            while (true) {
                // SAFETY: the kernel writes at most BATCH events; -1 waits without limit and there is no signal mask.
                long count = Libc.call(
                        "epoll_pwait", SystemCall.EPOLL_PWAIT, epoll, events.address(), BATCH, -1, 0, 0);
                for (long i = 0; i < count; i++) {
                    Watched ended = take(events.get(ValueLayout.JAVA_LONG_UNALIGNED, i * EVENT_BYTES + EVENT_DATA));
                    if (ended != null) {
                        Thread.ofVirtual().start(ended.onExit());
                    }
                }
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private @Nullable Watched take(long key) throws ErrnoException {
        Watched one = watched.remove(key);
        if (one != null) {
            control(CTL_DEL, one.process(), key);
            one.process().close();
        }
        return one;
    }

    private void control(int operation, Fd process, long key) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(EVENT_BYTES, 8);
            event.set(ValueLayout.JAVA_INT, 0, EPOLLIN);
            event.set(ValueLayout.JAVA_LONG_UNALIGNED, EVENT_DATA, key);
            // SAFETY: struct epoll_event lives as long as the arena, and the kernel copies it.
            Libc.call("epoll_ctl", SystemCall.EPOLL_CTL, epoll, operation, process.number(), event.address());
        }
    }
}
