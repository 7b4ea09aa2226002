@NullMarked
package dev.sandglass.runtime;

import org.jspecify.annotations.NullMarked;
