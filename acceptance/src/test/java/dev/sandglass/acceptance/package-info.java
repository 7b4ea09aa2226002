/**
 * The program as a newcomer uses it: the launcher of this checkout, with what the build has just made, and the commands that
 * the documents show.
 */
@NullMarked
package dev.sandglass.acceptance;

import org.jspecify.annotations.NullMarked;
