/**
 * What differs between two states: a snapshot and another, a snapshot and a sandbox as it is now. {@link dev.sandglass.engine.diff.Differences} finds
 * the states, has them compared by the port {@link dev.sandglass.engine.diff.TreeComparison}, and tells what became of files and packages. All that
 * is compared is hostile; what is gathered of it is bounded.
 */
@NullMarked
package dev.sandglass.engine.diff;

import org.jspecify.annotations.NullMarked;
