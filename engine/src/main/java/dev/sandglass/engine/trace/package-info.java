/**
 * Where time goes: work names its steps as it comes to them, and whoever follows it sees which one it is at and how long each
 * took. Work that nobody follows pays nothing. How long work took as a whole is told of all of it.
 */
@NullMarked
package dev.sandglass.engine.trace;

import org.jspecify.annotations.NullMarked;
