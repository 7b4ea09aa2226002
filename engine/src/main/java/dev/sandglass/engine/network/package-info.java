/**
 * What a sandbox may reach: names and addresses in one canonical form, the policy that decides about each attempt, and the port behind which
 * the network itself is. Nothing here opens a socket.
 */
@NullMarked
package dev.sandglass.engine.network;

import org.jspecify.annotations.NullMarked;
