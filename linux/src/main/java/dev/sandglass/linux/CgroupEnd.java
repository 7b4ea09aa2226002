package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The end of a control group. The first blow is usually enough: with the first process of a pid namespace all others of it
 * die. What still lives after that is frozen before the next one, so that it cannot fork away from it.
 *
 * @param directories the group in every hierarchy
 */
record CgroupEnd(List<Path> directories) {
    private static final int SIGKILL = 9;
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    /** Dying takes a moment, and freezing what is dying makes it longer. */
    private static final int PAUSES_BETWEEN_BLOWS = 150;

    /** Returns when no process and no directory is left. */
    void run(long deadlineNanos) throws IOException {
        int round = 0;
        for (Set<Long> left = processes(); !left.isEmpty(); left = processes()) {
            if (round % PAUSES_BETWEEN_BLOWS == 0) {
                strike(left, round > 0);
            }
            pause("processes " + left, deadlineNanos);
            round++;
        }
        for (Path directory : directories) {
            while (!removed(directory)) {
                pause(directory.toString(), deadlineNanos);
            }
        }
    }

    private void strike(Set<Long> processes, boolean freeze) throws IOException {
        if (freeze) {
            tell("freezer.state", "FROZEN");
        }
        tell("cgroup.kill", "1");
        for (long process : processes) {
            kill(process);
        }
        tell("freezer.state", "THAWED"); // version 1: what is frozen, maybe since a pause, does not die
    }

    private static void kill(long process) throws ErrnoException {
        try {
            // SAFETY: takes numbers only. The pid was read from the group's own files a moment ago.
            Libc.call("kill", SystemCall.KILL, process, SIGKILL);
        } catch (ErrnoException problem) {
            if (problem.errno() != Libc.ESRCH) {
                throw problem;
            }
        }
    }

    /** Those of the first hierarchy that has any: whoever is in one is in all, unless it was stopped on its way in. */
    Set<Long> processes() throws IOException {
        Set<Long> processes = new LinkedHashSet<>();
        for (Iterator<Path> each = directories.iterator(); each.hasNext() && processes.isEmpty(); ) {
            Path directory = each.next();
            try {
                Files.readAllLines(directory.resolve("cgroup.procs")).forEach(line -> processes.add(Long.valueOf(line)));
            } catch (IOException problem) {
                if (Files.exists(directory)) {
                    throw problem;
                }
            }
            processes.remove(0L); // a process of another pid namespace, which only its own host could kill
        }
        return processes;
    }

    private static boolean removed(Path directory) throws IOException {
        if (gone(directory)) {
            return true;
        }
        try (DirectoryStream<Path> below = Files.newDirectoryStream(directory, Files::isDirectory)) {
            for (Path child : below) {
                removed(child);
            }
        } catch (NoSuchFileException _) {
            return true;
        }
        return gone(directory);
    }

    /** Whether nothing kept it: neither a group in it nor a process that is on its way out. */
    private static boolean gone(Path directory) {
        try {
            Files.deleteIfExists(directory);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Writes to a file of the group where a hierarchy has it. */
    private void tell(String name, String text) throws IOException {
        for (Path directory : directories) {
            Path file = directory.resolve(name);
            if (Files.exists(file)) {
                Files.writeString(file, text);
            }
        }
    }

    private static void pause(String what, long deadlineNanos) throws IOException {
        if (System.nanoTime() - deadlineNanos > 0) {
            throw new IOException("still there after the time for it was over: " + what);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
    }
}
