/** Manifests of real files, on btrfs and elsewhere. They need root. */
@NullMarked
package dev.sandglass.pool.manifest;

import org.jspecify.annotations.NullMarked;
