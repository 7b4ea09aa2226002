/**
 * The daemon's side of the guest protocol (docs/guest-protocol.md).
 *
 * <p>A {@link GuestLink} owns the byte stream to one agent and its two threads; a {@link GuestStream} is one command, file
 * operation or connection on it. All that comes in is hostile: whatever breaks a rule breaks the link and nothing else.
 */
@NullMarked
package dev.sandglass.engine.guest;

import org.jspecify.annotations.NullMarked;
