/**
 * The ways out of a sandbox that are measured: through the gateway, through a plain relay, and none at all. Servers and clients are threads of the bench, in network namespaces of
 * their own; nothing of the host's network is used.
 */
@NullMarked
package dev.sandglass.bench.network;

import org.jspecify.annotations.NullMarked;
