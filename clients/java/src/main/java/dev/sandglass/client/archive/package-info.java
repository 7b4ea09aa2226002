/**
 * Tar archives as `cp` uses them: packing a local tree, and unpacking one that comes from a sandbox.
 *
 * <p>What comes from a sandbox is hostile: the reader accepts only plain entries with bounded headers, the unpacker never
 * writes outside its directory, never through a link, and makes no devices and no set-uid files.
 */
@NullMarked
package dev.sandglass.client.archive;

import org.jspecify.annotations.NullMarked;
