package dev.sandglass.engine.sandbox;

/** Where a snapshot is in its life. */
public enum SnapshotState {
    /** Written before anything is made; after a crash it is removed. */
    CREATING("creating"),
    /** Whole, verified, and it never changes. */
    READY("ready"),
    /** Its name is free and nothing new can be made from it; its layers stay as long as something stands on them. */
    DELETED("deleted");

    private final String text;

    SnapshotState(String text) {
        this.text = text;
    }

    /** The state's word in API, CLI and ledger. */
    public String text() {
        return text;
    }
}
