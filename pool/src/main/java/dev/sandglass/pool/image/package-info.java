/**
 * The base image: a root filesystem made with mmdebstrap from the host's own apt sources, kept as a sealed tree of the
 * pool and described by a manifest.
 *
 * <p>An image is built in a temporary tree, checked, copied to its final name and only then pointed to, so a crash at
 * any point leaves the old image in place and nothing that the next build does not remove. What the host's owner trusts
 * (mirrors, keys, certificates) is trusted inside; what is secret (passwords in addresses) stays outside.
 */
@NullMarked
package dev.sandglass.pool.image;

import org.jspecify.annotations.NullMarked;
