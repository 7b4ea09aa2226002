/**
 * The Pool port: where root filesystems live. A pool holds named trees that can be made, copied at once, limited and
 * removed; it knows nothing of sandboxes or images.
 */
@NullMarked
package dev.sandglass.engine.pool;

import org.jspecify.annotations.NullMarked;
