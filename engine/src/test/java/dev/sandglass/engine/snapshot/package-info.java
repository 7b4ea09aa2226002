/** Tests of snapshots. */
@NullMarked
package dev.sandglass.engine.snapshot;

import org.jspecify.annotations.NullMarked;
