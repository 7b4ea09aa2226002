/**
 * The life of sandboxes, from create to destroy and across restarts of the daemon.
 *
 * <p>{@code Sandboxes} is the way in and holds one lock per sandbox; {@code Power} starts and stops, {@code Demolition} ends
 * for good, {@code Roster} knows what runs, {@code Spares} starts the next one ahead. All write to the ledger, then act through the ports; what a crash interrupts is
 * finished or undone by {@code Adoption} at the next start.
 */
@NullMarked
package dev.sandglass.engine.life;

import org.jspecify.annotations.NullMarked;
