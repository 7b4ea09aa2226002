/**
 * The adapters of the Runtime port, and which of them this machine can run. {@code oci} has what they share, {@code container}
 * and {@code gvisor} what sets them apart.
 */
@NullMarked
package dev.sandglass.runtime;

import org.jspecify.annotations.NullMarked;
