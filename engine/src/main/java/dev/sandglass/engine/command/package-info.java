/**
 * Commands in sandboxes: run to the end, started and left, watched, fed and signalled, or run in a sandbox of their own.
 *
 * <p>The agent, which outlives the daemon, is what remembers commands: a new daemon learns of them when it adopts the
 * sandbox, so there is nothing of them to write elsewhere and nothing to lose.
 */
@NullMarked
package dev.sandglass.engine.command;

import org.jspecify.annotations.NullMarked;
