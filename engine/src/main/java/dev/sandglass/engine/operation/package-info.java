/**
 * Work that goes on without the client that asked for it, and can be looked at, waited for and followed.
 *
 * <p>Operations live in this daemon's memory, a bounded number of them. When the daemon is killed what they had begun is undone by
 * the next one, and their ids are unknown to it.
 */
@NullMarked
package dev.sandglass.engine.operation;

import org.jspecify.annotations.NullMarked;
