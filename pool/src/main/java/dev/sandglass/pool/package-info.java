/**
 * Where root filesystems live: the {@code Pool} port on btrfs, on filesystems that share file data, and on any other.
 *
 * <p>{@link dev.sandglass.pool.Pools} chooses by what the data directory offers. On btrfs everything is one system
 * call; elsewhere trees are made under a hidden name and renamed, so that a crash leaves nothing half-made in sight.
 */
@NullMarked
package dev.sandglass.pool;

import org.jspecify.annotations.NullMarked;
