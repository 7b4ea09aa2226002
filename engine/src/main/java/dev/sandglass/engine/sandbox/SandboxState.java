package dev.sandglass.engine.sandbox;

import java.util.Optional;

/** Where a sandbox is in its life. */
public sealed interface SandboxState {
    /** Written before anything is made; after a crash it is removed. */
    record Creating() implements SandboxState {}

    /** Its PID 1 answers. */
    record Running(MachineProcess process) implements SandboxState {}

    /** Written before its processes are ended; after a crash it is finished. */
    record Stopping() implements SandboxState {}

    /** Not running, its disk is kept: it was stopped, its start was interrupted, or the host was restarted. */
    record Stopped(String reason) implements SandboxState {}

    /** Written before it is started again; after a crash that is undone. */
    record Starting() implements SandboxState {}

    /** It ended by itself or could not go on; its disk is kept. */
    record Failed(String reason) implements SandboxState {}

    /**
     * Nothing of it runs, and it goes on where it was.
     *
     * @param at the snapshot that has its processes; none if they were given up
     * @param rebuild whether its disk is to be made anew as the snapshot has it, because its tree may differ
     * @param cause absent if an earlier version wrote it
     */
    record Paused(Optional<SnapshotId> at, boolean rebuild, Optional<Cause> cause) implements SandboxState {
        public Paused(Optional<SnapshotId> at, boolean rebuild, Cause cause) {
            this(at, rebuild, Optional.of(cause));
        }
    }

    /** Written before it goes on; after a crash it is paused again. */
    record Resuming(Optional<SnapshotId> at, boolean rebuild) implements SandboxState {
        /** What it is when that fails: what ran meanwhile may have left something on its disk that its processes do not know. */
        public Paused undone() {
            return new Paused(at, at.isPresent(), Cause.RESUME_FAILED);
        }
    }

    /**
     * Written before anything is taken down; after a crash it is finished.
     *
     * @param cause absent if an earlier version wrote it
     */
    record Destroying(Optional<Cause> cause) implements SandboxState {
        public Destroying(Cause cause) {
            this(Optional.of(cause));
        }
    }

    /**
     * Gone; the row stays as history and its name is free.
     *
     * @param cause absent if an earlier version wrote it
     */
    record Destroyed(Optional<Cause> cause) implements SandboxState {}

    /** The snapshot from which it goes on when it does. */
    default Optional<SnapshotId> restsAt() {
        return switch (this) {
            case Paused(Optional<SnapshotId> at, boolean _, Optional<Cause> _) -> at;
            case Resuming(Optional<SnapshotId> at, boolean _) -> at;
            case Creating(), Running _, Stopping(), Stopped _, Starting(), Failed _, Destroying _, Destroyed _ -> Optional.empty();
        };
    }

    /** Whether it came to run and is still there, whatever has become of it since. */
    default boolean isMade() {
        return switch (this) {
            case Running _, Stopping(), Stopped _, Starting(), Failed _, Paused _, Resuming _ -> true;
            case Creating(), Destroying _, Destroyed _ -> false;
        };
    }

    /** Why it is in this state, where there is more to say than the state does. */
    default Optional<String> why() {
        return switch (this) {
            case Stopped(String reason) -> Optional.of(reason);
            case Failed(String reason) -> Optional.of(reason);
            case Paused paused -> paused.cause().map(Cause::text);
            case Destroying(Optional<Cause> cause) -> cause.map(Cause::text);
            case Destroyed(Optional<Cause> cause) -> cause.map(Cause::text);
            case Creating(), Running _, Stopping(), Starting(), Resuming _ -> Optional.empty();
        };
    }

    /** The state's word in API, CLI and ledger. */
    default String text() {
        return switch (this) {
            case Creating() -> "creating";
            case Running _ -> "running";
            case Stopping() -> "stopping";
            case Stopped _ -> "stopped";
            case Starting() -> "starting";
            case Failed _ -> "failed";
            case Paused _ -> "paused";
            case Resuming _ -> "resuming";
            case Destroying _ -> "destroying";
            case Destroyed _ -> "destroyed";
        };
    }
}
