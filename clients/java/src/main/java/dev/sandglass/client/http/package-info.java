/**
 * HTTP/1.1 and WebSocket as a client speaks them, over a unix socket, TCP or TLS.
 *
 * <p>It is small because the JDK's own client takes long at its first use, which is the only one here, and knows no unix sockets. It speaks to our
 * daemon only, yet trusts nothing of what comes back: every line, header and message has a limit.
 */
@NullMarked
package dev.sandglass.client.http;

import org.jspecify.annotations.NullMarked;
