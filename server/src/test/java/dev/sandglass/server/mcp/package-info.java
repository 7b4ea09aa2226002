@NullMarked
package dev.sandglass.server.mcp;

import org.jspecify.annotations.NullMarked;
