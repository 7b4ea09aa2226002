/**
 * Snapshots: captured states of sandboxes, from which others begin. A snapshot is a row in the ledger and a layer of the pool;
 * a layer stays as long as a snapshot or a sandbox stands on it. Captured memory lands in memory and is kept in the pool. What a crash leaves half-made is removed at the next start.
 */
@NullMarked
package dev.sandglass.engine.snapshot;

import org.jspecify.annotations.NullMarked;
