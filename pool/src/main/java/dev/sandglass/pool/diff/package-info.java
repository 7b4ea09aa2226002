/**
 * Compares what overlays show without mounting them, by the same rules: whiteouts, opaque directories, the topmost entry of a name. Every step is
 * relative to an open directory and follows no link; what both have in common, and what btrfs knows not to have changed, is not read.
 */
@NullMarked
package dev.sandglass.pool.diff;

import org.jspecify.annotations.NullMarked;
