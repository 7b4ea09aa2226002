@NullMarked
package dev.sandglass.cli.mcp;

import org.jspecify.annotations.NullMarked;
