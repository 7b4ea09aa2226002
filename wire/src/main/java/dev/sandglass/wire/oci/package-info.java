/**
 * The documents of images as registries and archives have them: manifests, indexes and configurations of the OCI image format and of Docker's, which
 * have the same fields. Whoever reads one checks what is in it: all of it comes from outside.
 */
@NullMarked
package dev.sandglass.wire.oci;

import org.jspecify.annotations.NullMarked;
