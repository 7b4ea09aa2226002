package dev.sandglass.engine.sandbox;

import java.util.Locale;

/** Where a volume is in its life. */
public enum VolumeState {
    /** Written before anything is made; after a crash it is removed. */
    CREATING,
    /** It is there until somebody deletes it. */
    READY,
    /** Written before anything is taken away; after a crash it is finished. */
    DELETING;

    /** The state's word in the ledger. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
