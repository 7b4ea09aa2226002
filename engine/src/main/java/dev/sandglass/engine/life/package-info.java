/**
 * The life of sandboxes, from create to destroy and across restarts of the daemon.
 *
 * <p>{@code Sandboxes} is the way in. It writes to the ledger, then acts through the ports, one lock per sandbox; what a
 * crash interrupts is finished or undone by {@code Adoption} at the next start.
 */
@NullMarked
package dev.sandglass.engine.life;

import org.jspecify.annotations.NullMarked;
