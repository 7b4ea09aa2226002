@NullMarked
package dev.sandglass.pool;

import org.jspecify.annotations.NullMarked;
