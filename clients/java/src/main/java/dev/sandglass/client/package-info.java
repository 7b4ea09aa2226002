/**
 * Sandglass from Java: sandboxes that can be frozen, copied and turned back in time.
 *
 * <p>{@link dev.sandglass.client.Sandbox} is where to begin. Everything is thread-safe and blocks, for as long as its operation takes; an interrupt ends the wait. What the daemon refuses becomes a
 * {@link dev.sandglass.wire.SandglassException} with a code and a hint.
 */
@NullMarked
package dev.sandglass.client;

import org.jspecify.annotations.NullMarked;
