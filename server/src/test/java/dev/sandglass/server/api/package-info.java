@NullMarked
package dev.sandglass.server.api;

import org.jspecify.annotations.NullMarked;
