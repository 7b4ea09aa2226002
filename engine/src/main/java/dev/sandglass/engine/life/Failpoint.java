package dev.sandglass.engine.life;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;

/**
 * The steps at which a test can kill the daemon: {@code SANDGLASS_FAILPOINT=CREATE_STARTED} halts the process there as
 * {@code kill -9} would, with nothing flushed and nothing cleaned up. {@code SANDGLASS_FAILPOINT_AFTER=n} lets it pass n times first. With
 * {@code SANDGLASS_FAILPOINT_FAILS=true} the step is done and fails nevertheless, once, as one does whose answer is lost. With
 * {@code SANDGLASS_FAILPOINT_HOLDS=file} it makes that file and goes on when the file is gone: meanwhile a test changes the world; with
 * {@code SANDGLASS_FAILPOINT_TIMES=n} so many that come do, and each adds a byte to the file.
 */
public enum Failpoint {
    CREATE_RECORDED,
    CREATE_TREE,
    CREATE_IDENTITY,
    CREATE_STARTED,
    CREATE_ANSWERED,
    CREATE_RUNNING,
    EXEC_BEGUN,
    EXEC_NUMBERED,
    EXEC_STARTED,
    EXEC_ENDED,
    STOP_RECORDED,
    STOP_ASKED,
    STOP_ENDED,
    STOP_DONE,
    START_RECORDED,
    START_STARTED,
    START_ANSWERED,
    START_RUNNING,
    UPDATE_RECORDED,
    UPDATE_ENFORCED,
    PAUSE_CAPTURED,
    PAUSE_RECORDED,
    PAUSE_DONE,
    REWIND_RECORDED,
    RESUME_RECORDED,
    RESUME_TREE,
    RESUME_TURN,
    RESUME_STARTED,
    RESUME_ANSWERED,
    RESUME_RUNNING,
    SNAPSHOT_RECORDED,
    SNAPSHOT_PAUSED,
    SNAPSHOT_TAKEN,
    SNAPSHOT_MEMORY_TAKEN,
    SNAPSHOT_MEMORY_DESCRIBED,
    SNAPSHOT_READY,
    VERIFY_LAYER,
    DELETE_RECORDED,
    DELETE_DONE,
    EXPORT_WRITTEN,
    EXPORT_NAMED,
    MERGE_MADE,
    MERGE_DESCRIBED,
    IMPORT_PART,
    FORK_MADE,
    FORK_CONFIRMED,
    DESTROY_RECORDED,
    DESTROY_UNLINKED,
    DESTROY_STOPPED,
    DESTROY_TREE,
    DESTROY_IDENTITY,
    DESTROY_DONE;

    private static final String ARMED = System.getenv().getOrDefault("SANDGLASS_FAILPOINT", "");
    private static final boolean FAILS = Boolean.parseBoolean(System.getenv("SANDGLASS_FAILPOINT_FAILS"));
    private static final String HOLDS = System.getenv().getOrDefault("SANDGLASS_FAILPOINT_HOLDS", "");
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int TIMES = Integer.parseInt(System.getenv().getOrDefault("SANDGLASS_FAILPOINT_TIMES", "1"));
    private static int passes = Integer.parseInt(System.getenv().getOrDefault("SANDGLASS_FAILPOINT_AFTER", "0"));

    /** Dies or fails here when this failpoint is armed. */
    public void reach() {
        if (!ARMED.equals(name()) || !isDue()) {
            return;
        }
        if (!HOLDS.isEmpty()) {
            hold(Path.of(HOLDS));
            return;
        }
        if (FAILS) {
            throw new SandglassException(ErrorCode.INTERNAL, "The failpoint " + this + " is armed.", "Start the daemon without SANDGLASS_FAILPOINT.");
        }
        java.lang.Runtime.getRuntime().halt(137);
    }

    private static void hold(Path file) {
        try {
            Files.write(file, new byte[1], StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            Instant end = Instant.now().plus(PATIENCE);
            while (Files.exists(file) && Instant.now().isBefore(end)) {
                Thread.sleep(5);
            }
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static synchronized boolean isDue() {
        int left = passes--;
        return left <= 0 && left > -TIMES;
    }
}
