/**
 * What sandboxes and this machine use, now and over the last quarter of an hour.
 *
 * <p>One thread reads the counters of control groups and of the pool every few seconds, without a process of its own and
 * without waking what is in a sandbox; a bounded history of each sandbox stays in memory until it stops.
 */
@NullMarked
package dev.sandglass.engine.usage;

import org.jspecify.annotations.NullMarked;
