/**
 * Sandglass beside the raw engines. Every contender does the same work in turn, round by round, so that whatever else the
 * machine does hits all alike; what counts is the ratio of their medians in one run.
 */
@NullMarked
package dev.sandglass.bench;

import org.jspecify.annotations.NullMarked;
