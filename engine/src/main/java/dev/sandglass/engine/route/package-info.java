/**
 * Entries from outside to ports of sandboxes: which there are, whom they let in, and the links that let in for a while. What passes through them is the
 * matter of others.
 */
@NullMarked
package dev.sandglass.engine.route;

import org.jspecify.annotations.NullMarked;
