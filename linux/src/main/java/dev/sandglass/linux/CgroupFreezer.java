package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Stops and continues the processes of a control group.
 *
 * @param directory the group in the hierarchy that has the freezer of version 1, or of version 2
 */
record CgroupFreezer(Path directory) {
    /** Version 1 tells nobody when it is done, and goes on freezing only when it is asked. */
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    /** A parent that waits for a vfork can keep version 1 from ever ending; it does when it begins anew. */
    private static final int LOOKS_OF_THE_FIRST_TRY = 20;

    void freeze(long deadlineNanos) throws IOException {
        write(true);
        int again = LOOKS_OF_THE_FIRST_TRY;
        for (int looks = 0; !isFrozen(); looks++) {
            if (System.nanoTime() - deadlineNanos > 0) {
                thaw();
                throw new IOException("not frozen when the time for it was over: " + directory);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            if (isVersion1() && looks == again) {
                again *= 2;
                thaw();
                write(true);
            }
        }
    }

    void thaw() throws IOException {
        write(false);
    }

    private void write(boolean frozen) throws IOException {
        if (isVersion1()) {
            Files.writeString(directory.resolve("freezer.state"), frozen ? "FROZEN" : "THAWED");
        } else {
            Files.writeString(directory.resolve("cgroup.freeze"), frozen ? "1" : "0");
        }
    }

    private boolean isFrozen() throws IOException {
        return isVersion1()
                ? Files.readString(directory.resolve("freezer.state")).strip().equals("FROZEN")
                : Files.readAllLines(directory.resolve("cgroup.events")).contains("frozen 1");
    }

    private boolean isVersion1() {
        return Files.exists(directory.resolve("freezer.state"));
    }
}
