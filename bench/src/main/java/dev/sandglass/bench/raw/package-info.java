/**
 * The engines by their own command lines, on the same image, pool, mounts, namespaces and system call filter as a sandbox of
 * Sandglass, but without its agent, its ledger and its limits.
 */
@NullMarked
package dev.sandglass.bench.raw;

import org.jspecify.annotations.NullMarked;
