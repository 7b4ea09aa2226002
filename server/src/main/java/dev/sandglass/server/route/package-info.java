/**
 * The way in: HTTP requests from outside to ports of sandboxes. A request is let in first, then its sandbox is woken if it may be, and then its bytes pass through; neither the
 * client nor the program in the sandbox is trusted. Bytes go over the link to the agent, so no sandbox needs a network for it.
 */
@NullMarked
package dev.sandglass.server.route;

import org.jspecify.annotations.NullMarked;
