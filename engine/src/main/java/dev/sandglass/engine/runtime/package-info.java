/**
 * The Runtime port: how a sandbox is isolated. An adapter turns a {@link Machine} into running processes on this host,
 * gives the byte stream to its PID 1, and takes it all down again. It keeps no state of its own that a restart would
 * lose: whatever it needs to destroy a sandbox it finds again by the sandbox's id.
 */
@NullMarked
package dev.sandglass.engine.runtime;

import org.jspecify.annotations.NullMarked;
