/** Contract tests that every kind of pool runs, on real filesystems. They need root. */
@NullMarked
package dev.sandglass.pool;

import org.jspecify.annotations.NullMarked;
