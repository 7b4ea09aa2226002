package dev.sandglass.engine.sandbox;

/** Why there is a snapshot. All but those that somebody asked for, or that builds keep for each other, go with the sandbox they were taken of. */
public enum SnapshotPurpose {
    /** Somebody asked for it. */
    KEPT,
    /** It has the processes of a sandbox that is paused. */
    PAUSE,
    /** It has what a sandbox was before it was turned back. */
    REWIND,
    /** It is taken now and then, so that little is lost when the sandbox ends by itself. */
    CHECKPOINT,
    /** Others begin with it just now. */
    FORK,
    /** A step of a build left it, for later builds to begin with, or it becomes what is built. */
    BUILD;

    /** Whether it is refused when snapshots take as much room as they may. Without those that a sandbox needs in order to rest or to be turned back work would be lost. */
    public boolean obeysQuota() {
        return goesOn();
    }

    /** Whether the sandbox goes on as soon as it is captured, so that it matters for how long it stands still. */
    public boolean goesOn() {
        return switch (this) {
            case KEPT, CHECKPOINT, FORK, BUILD -> true;
            case PAUSE, REWIND -> false;
        };
    }

    /** The purpose's word in API, CLI and ledger. */
    public String text() {
        return switch (this) {
            case KEPT -> "kept";
            case PAUSE -> "pause";
            case REWIND -> "rewind";
            case CHECKPOINT -> "checkpoint";
            case FORK -> "fork";
            case BUILD -> "build";
        };
    }
}
