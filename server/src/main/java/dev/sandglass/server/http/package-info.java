/**
 * The HTTP side of the daemon: two listeners (TCP and a unix socket), one router, one gate.
 *
 * <p>{@code FrontDoor} is the way in. Handlers see an {@code Exchange} and, after an upgrade, a {@code WebSocket}; Jetty's types
 * stay inside this package. Every call runs on a virtual thread and may block; bodies are streams with back-pressure. What an
 * operation takes is told by its {@code Operation}, and what does not fit is refused before a handler sees it.
 */
@NullMarked
package dev.sandglass.server.http;

import org.jspecify.annotations.NullMarked;
