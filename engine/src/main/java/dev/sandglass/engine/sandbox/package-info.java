/**
 * Sandboxes: what one is, its states, and its life from create to destroy.
 *
 * <p>{@code Sandboxes} is the way in. It writes to the ledger, then acts through the ports, one lock per sandbox; what a
 * crash interrupts is finished or undone by {@code Adoption} at the next start.
 */
@NullMarked
package dev.sandglass.engine.sandbox;

import org.jspecify.annotations.NullMarked;
