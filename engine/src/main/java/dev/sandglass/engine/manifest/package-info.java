/**
 * The manifest of a snapshot: every file of it with type, owner, times, attributes and SHA-256, in one order, with a digest
 * over the whole. {@link dev.sandglass.engine.manifest.ManifestWriter} and {@link dev.sandglass.engine.manifest.ManifestReader}
 * stream it in bounded memory and trust nothing that they read; {@link dev.sandglass.engine.manifest.Manifests} is the port
 * that makes one of files on disk and holds them against it.
 */
@NullMarked
package dev.sandglass.engine.manifest;

import org.jspecify.annotations.NullMarked;
