/**
 * The ledger in SQLite: one file in the data directory, in WAL mode, every acknowledged write on disk.
 *
 * <p>SQLite's native calls pin their thread, so all of them run on two platform threads: one writes, one reads, and a
 * read never waits for the disk flush of a write.
 */
@NullMarked
package dev.sandglass.ledger;

import org.jspecify.annotations.NullMarked;
