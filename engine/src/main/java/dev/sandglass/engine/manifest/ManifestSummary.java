package dev.sandglass.engine.manifest;

/**
 * A manifest as a whole.
 *
 * @param entries files of every type
 * @param bytes of regular files, holes included, each hard-linked one once
 * @param digest SHA-256 in hexadecimal over everything but what is true on one machine only
 */
public record ManifestSummary(long entries, long bytes, String digest) {}
