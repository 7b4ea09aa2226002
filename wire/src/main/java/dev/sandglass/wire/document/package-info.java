/**
 * YAML that people write: templates, components, fleets.
 *
 * <p>What reads a document asks for each value by its key and type. What is wrong is told with the file, line and column where it stands, and a key that
 * nobody asks for is refused with the nearest known one. Size, depth and the number of values are bounded.
 */
@NullMarked
package dev.sandglass.wire.document;

import org.jspecify.annotations.NullMarked;
