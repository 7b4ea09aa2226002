/**
 * Snapshots as files: one stream with a header that says what is in it, and parts, each a manifest and then the content of its
 * files. What comes in is hostile until it is proved whole: every length has a bound, every hash is checked while it streams by.
 * How trees become streams is the {@link dev.sandglass.engine.archive.Packing} port's; docs/snapshot-file.md is the format.
 */
@NullMarked
package dev.sandglass.engine.archive;

import org.jspecify.annotations.NullMarked;
