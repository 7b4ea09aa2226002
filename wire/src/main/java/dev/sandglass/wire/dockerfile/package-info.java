/**
 * Dockerfiles, as far as they say how one disk comes about: read with the place of every word, and made into steps once it is known what they begin with.
 *
 * <p>The command line reads them to find which files it has to send, and the daemon to build them; so both say the same about what is wrong, and where it stands.
 */
@NullMarked
package dev.sandglass.wire.dockerfile;

import org.jspecify.annotations.NullMarked;
