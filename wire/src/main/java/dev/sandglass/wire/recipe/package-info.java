/**
 * Files in which people write recipes: components, templates and fleets, read into the records of the API.
 *
 * <p>The command line reads them before it sends them, and the daemon reads those that it brings along and those of its data directory; so both say the
 * same about what is wrong, and where it stands.
 */
@NullMarked
package dev.sandglass.wire.recipe;

import org.jspecify.annotations.NullMarked;
