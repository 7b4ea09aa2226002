/**
 * Work that goes on without the client that asked for it, and can be looked at, waited for and followed.
 *
 * <p>The ledger keeps them, a bounded number of them for a bounded time. When the daemon is killed what they had begun is undone by
 * the next one, which says so of them, or that they had done what they were to do.
 */
@NullMarked
package dev.sandglass.engine.operation;

import org.jspecify.annotations.NullMarked;
