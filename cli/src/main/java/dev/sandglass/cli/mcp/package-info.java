/**
 * The Model Context Protocol on this side of the daemon: lines of standard input and output carried to it ({@code Relay}), and the
 * configurations of clients that are to do so ({@code ClientFile}), in which everything else stays as it was.
 */
@NullMarked
package dev.sandglass.cli.mcp;

import org.jspecify.annotations.NullMarked;
