package dev.sandglass.engine.runtime;

/** What has become of a process that the ledger remembers. */
public enum Life {
    ALIVE,
    ENDED,
    /** It belonged to an earlier boot of this host: nothing of it can be left. */
    BEFORE_REBOOT
}
