@NullMarked
package dev.sandglass.server;

import org.jspecify.annotations.NullMarked;
