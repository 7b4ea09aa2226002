package dev.sandglass.engine.life;

import java.nio.file.Path;
import java.util.Optional;

/** The steps at which a test can kill the daemon, let it fail or hold it, by a {@link Trap} in the file that {@code SANDGLASS_FAILPOINT} names. */
public enum Failpoint {
    CREATE_RECORDED,
    CREATE_TREE,
    CREATE_IDENTITY,
    CREATE_STARTED,
    CREATE_ANSWERED,
    CREATE_RUNNING,
    SPARE_STARTED,
    SPARE_READY,
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
    BUILD_CAPTURED,
    BUILD_PUBLISHED,
    DESTROY_RECORDED,
    DESTROY_UNLINKED,
    DESTROY_STOPPED,
    DESTROY_TREE,
    DESTROY_IDENTITY,
    DESTROY_DONE,
    VOLUME_RECORDED,
    VOLUME_TREE,
    VOLUME_READY,
    VOLUME_DELETING,
    VOLUME_REMOVED,
    ATTACH_RECORDED,
    ATTACH_DONE,
    DETACH_DONE,
    IMAGE_UNPACKED,
    IMAGE_REMOVED;

    private static final Optional<Trap> TRAP = Optional.ofNullable(System.getenv("SANDGLASS_FAILPOINT")).map(file -> new Trap(Path.of(file)));

    /** Dies, fails or waits here when a test has laid it. */
    public void reach() {
        TRAP.ifPresent(trap -> trap.spring(this));
    }
}
