/**
 * Work in steps that prints: scripts run in a sandbox, one after the other, and what they print is kept within bounds and can be followed.
 *
 * <p>The ledger keeps what builds came to. One at which a daemon was at work when it was killed has failed, and the next daemon says so of it.
 */
@NullMarked
package dev.sandglass.engine.build;

import org.jspecify.annotations.NullMarked;
