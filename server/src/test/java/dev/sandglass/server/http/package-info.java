@NullMarked
package dev.sandglass.server.http;

import org.jspecify.annotations.NullMarked;
