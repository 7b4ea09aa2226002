/** What the ways of the bench are made of. */
@NullMarked
package dev.sandglass.bench.network;

import org.jspecify.annotations.NullMarked;
