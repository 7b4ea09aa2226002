/**
 * Trees as streams: the portable form of their manifests, the content of their files with holes left out, and trees made of such a
 * stream again. Nothing of a stream is trusted: paths are single names in open directories, no link is followed, and only what the
 * manifest announces is made.
 */
@NullMarked
package dev.sandglass.pool.archive;

import org.jspecify.annotations.NullMarked;
