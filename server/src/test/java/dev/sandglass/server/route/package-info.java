@NullMarked
package dev.sandglass.server.route;

import org.jspecify.annotations.NullMarked;
