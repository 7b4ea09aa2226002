/**
 * What a sandbox's root filesystem begins with: read-only trees of the pool that all sandboxes share.
 */
@NullMarked
package dev.sandglass.engine.image;

import org.jspecify.annotations.NullMarked;
