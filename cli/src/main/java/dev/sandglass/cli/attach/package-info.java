/**
 * A command of a sandbox joined to this process: output, input, window size, signals, and its end.
 *
 * <p>The command does not depend on the connection. When that breaks, the join is made again from the last byte seen.
 */
@NullMarked
package dev.sandglass.cli.attach;

import org.jspecify.annotations.NullMarked;
