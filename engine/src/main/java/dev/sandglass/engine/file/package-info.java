/**
 * Files of a running sandbox, read and written through its agent.
 *
 * <p>The host never opens a path of a sandbox's tree: every operation is done inside, by a worker with the rights of the
 * user it is done for, and comes here as bytes and records.
 */
@NullMarked
package dev.sandglass.engine.file;

import org.jspecify.annotations.NullMarked;
