package dev.sandglass.engine.sandbox;

/** Where a sandbox is in its life. */
public sealed interface SandboxState {
    /** Written before anything is made; after a crash it is removed. */
    record Creating() implements SandboxState {}

    /** Its PID 1 answers. */
    record Running(MachineProcess process) implements SandboxState {}

    /** Not running, its disk is kept: the host was restarted. */
    record Stopped(String reason) implements SandboxState {}

    /** It ended by itself or could not go on; its disk is kept. */
    record Failed(String reason) implements SandboxState {}

    /** Written before anything is taken down; after a crash it is finished. */
    record Destroying() implements SandboxState {}

    /** Gone; the row stays as history and its name is free. */
    record Destroyed() implements SandboxState {}

    /** The state's word in API, CLI and ledger. */
    default String text() {
        return switch (this) {
            case Creating() -> "creating";
            case Running _ -> "running";
            case Stopped _ -> "stopped";
            case Failed _ -> "failed";
            case Destroying() -> "destroying";
            case Destroyed() -> "destroyed";
        };
    }
}
