/** Tests of the files of snapshots. */
@NullMarked
package dev.sandglass.engine.archive;

import org.jspecify.annotations.NullMarked;
