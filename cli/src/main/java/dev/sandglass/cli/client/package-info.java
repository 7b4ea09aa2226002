/**
 * The daemon as the command line sees it: where it is, and its operations as methods.
 *
 * <p>What the daemon refuses becomes a {@link dev.sandglass.wire.SandglassException} with the daemon's own code and hint.
 */
@NullMarked
package dev.sandglass.cli.client;

import org.jspecify.annotations.NullMarked;
