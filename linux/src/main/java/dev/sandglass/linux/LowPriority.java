package dev.sandglass.linux;

import java.util.concurrent.ThreadFactory;

/** Threads for work that nobody waits for: they get processor and disk when others leave them. */
public final class LowPriority {
    private static final int NICEST = 19;
    private static final int THREAD = 1;
    /** The best-effort class, its last level. The idle class could starve for ever. */
    private static final int LAST = 2 << 13 | 7;

    private LowPriority() {}

    public static ThreadFactory threads(String name) {
        ThreadFactory factory = Thread.ofPlatform().daemon().name(name, 0).factory();
        return work -> factory.newThread(() -> {
            assume();
            work.run();
        });
    }

    private static void assume() {
        try {
            // SAFETY: both take numbers; 0 is the calling thread.
            Libc.call("setpriority", SystemCall.SETPRIORITY, 0, 0, NICEST);
            Libc.call("ioprio_set", SystemCall.IOPRIO_SET, THREAD, 0, LAST);
        } catch (ErrnoException refused) {
            // Then it is done at the ordinary priority.
        }
    }
}
