/**
 * The {@code gvisor} runtime: a kernel of its own in user space, run by runsc on its systrap platform. Its flags and the
 * order of its mounts are part of every full snapshot, so they stand in one place each and change only with a version.
 */
@NullMarked
package dev.sandglass.runtime.gvisor;

import org.jspecify.annotations.NullMarked;
