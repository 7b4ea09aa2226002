/**
 * What the runtimes share because their engines all speak OCI: the life of a sandbox from directory to destroy, the
 * configuration that an engine is given, and the launch into control groups that are there before it.
 *
 * <p>{@code OciRuntime} is the way in; an {@code Isolation} says what differs between container and gVisor.
 */
@NullMarked
package dev.sandglass.runtime.oci;

import org.jspecify.annotations.NullMarked;
