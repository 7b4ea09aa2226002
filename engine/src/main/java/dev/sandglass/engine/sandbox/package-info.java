/**
 * What a sandbox is: its id, limits, privileges and states. Plain values that the ports and everything above them share.
 */
@NullMarked
package dev.sandglass.engine.sandbox;

import org.jspecify.annotations.NullMarked;
