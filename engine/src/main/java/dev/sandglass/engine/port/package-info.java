/**
 * Connections from outside to the ports of sandboxes, through the link to their agents: a sandbox needs no network to be reached, and the host dials nothing.
 */
@NullMarked
package dev.sandglass.engine.port;

import org.jspecify.annotations.NullMarked;
