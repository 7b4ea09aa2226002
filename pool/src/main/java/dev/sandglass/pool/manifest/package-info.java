/**
 * Manifests of files on disk. {@link dev.sandglass.pool.manifest.FileManifests} walks a snapshot's directories relative to open
 * descriptors, since what is in them is hostile, hashes on few threads of low priority, and takes over the hashes of files
 * of which btrfs says that they did not change.
 */
@NullMarked
package dev.sandglass.pool.manifest;

import org.jspecify.annotations.NullMarked;
