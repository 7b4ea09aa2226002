package dev.sandglass.engine.sandbox;

/** What a sandbox that has a state of its own does. */
public enum Activity {
    /** Its processes run. */
    RUNNING("running"),
    /** It goes on where it was when it is resumed. */
    PAUSED("paused"),
    /** It has its disk only. */
    STOPPED("stopped");

    private final String text;

    Activity(String text) {
        this.text = text;
    }

    /** Of one that is captured in that state: it rests, or it has a disk, or it runs. */
    public static Activity of(SandboxState state) {
        return switch (state) {
            case SandboxState.Paused _, SandboxState.Resuming _ -> PAUSED;
            case SandboxState.Stopped _, SandboxState.Failed _, SandboxState.Stopping() -> STOPPED;
            case SandboxState.Creating(), SandboxState.Running _, SandboxState.Starting(), SandboxState.Destroying _, SandboxState.Destroyed _ -> RUNNING;
        };
    }

    /** The one with that word; one that ran where there is none. */
    public static Activity named(String word) {
        return word.equals(PAUSED.text) ? PAUSED : word.equals(STOPPED.text) ? STOPPED : RUNNING;
    }

    /** Its word in the ledger. */
    public String text() {
        return text;
    }
}
