package dev.sandglass.engine.manifest;

/** What is true of a file on this machine only, and so counts for no digest: it tells quickly whether the file was touched. */
public record HostFacts(long inode, long changedSeconds, int changedNanos) {}
