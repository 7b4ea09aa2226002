@NullMarked
package dev.sandglass.bench;

import org.jspecify.annotations.NullMarked;
