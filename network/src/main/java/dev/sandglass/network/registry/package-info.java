/**
 * Where the package registries are that the host itself uses: read from its own configuration of apt, npm, pip and Maven, and, where that is silent, from what
 * these programs say themselves. No name of a registry stands in this program.
 */
@NullMarked
package dev.sandglass.network.registry;

import org.jspecify.annotations.NullMarked;
