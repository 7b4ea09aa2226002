/**
 * The {@code container} runtime: the host's kernel, a user namespace, crun or runc. Ids on disk are those that the sandbox
 * sees; the mounts shift them into a range that has no rights on the host.
 */
@NullMarked
package dev.sandglass.runtime.container;

import org.jspecify.annotations.NullMarked;
