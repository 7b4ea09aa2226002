@NullMarked
package dev.sandglass.cli;

import org.jspecify.annotations.NullMarked;
