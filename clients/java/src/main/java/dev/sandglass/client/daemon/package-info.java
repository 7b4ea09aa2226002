/**
 * The daemon as its clients see it: where it is, and its operations as methods.
 *
 * <p>What the daemon refuses becomes a {@link dev.sandglass.wire.SandglassException} with the daemon's own code and hint.
 */
@NullMarked
package dev.sandglass.client.daemon;

import org.jspecify.annotations.NullMarked;
