/**
 * Images from elsewhere: pulled from a registry or read out of an archive, checked by their digests, kept as layers of the pool that images share, and written
 * as images again. Where they come from and how layers are packed is behind ports; all that comes in is hostile until its digest says otherwise.
 */
@NullMarked
package dev.sandglass.engine.oci;

import org.jspecify.annotations.NullMarked;
