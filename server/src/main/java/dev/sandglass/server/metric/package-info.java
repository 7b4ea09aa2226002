/**
 * Counters and histograms of the daemon, in the text format that Prometheus reads. The labels are words of this program, never
 * of a client, so that their number is bounded.
 */
@NullMarked
package dev.sandglass.server.metric;

import org.jspecify.annotations.NullMarked;
