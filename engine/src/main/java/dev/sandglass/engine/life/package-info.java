/**
 * The life of sandboxes, from create to destroy and across restarts of the daemon.
 *
 * <p>{@code Sandboxes} is the way in for what is done to them, {@code LiveSandboxes} for who wants something of what runs in them, {@code Originals} for who keeps snapshots of
 * them; one lock per sandbox is held meanwhile. {@code Power} starts and stops, {@code Demolition} ends
 * for good, {@code Roster} knows what runs, {@code Stocks} has those that were started ahead. All write to the ledger, then act through the ports; what a crash interrupts is
 * finished or undone by {@code Adoption} at the next start.
 */
@NullMarked
package dev.sandglass.engine.life;

import org.jspecify.annotations.NullMarked;
