/**
 * Where time goes: work names its steps as it comes to them, and whoever follows it sees which one it is at and how long each
 * took. Work that nobody follows pays nothing.
 */
@NullMarked
package dev.sandglass.engine.trace;

import org.jspecify.annotations.NullMarked;
