/** Tests of trees as streams. */
@NullMarked
package dev.sandglass.pool.archive;

import org.jspecify.annotations.NullMarked;
