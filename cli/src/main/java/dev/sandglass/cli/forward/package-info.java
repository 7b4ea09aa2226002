/** Connections to ports of this machine, carried to ports of a sandbox, each over a WebSocket of its own. */
@NullMarked
package dev.sandglass.cli.forward;

import org.jspecify.annotations.NullMarked;
