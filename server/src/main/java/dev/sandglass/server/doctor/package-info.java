/**
 * What {@code sandglass doctor} says: each need of Sandglass on this machine, whether it is met, and what to do where it is
 * not. It looks and changes nothing.
 */
@NullMarked
package dev.sandglass.server.doctor;

import org.jspecify.annotations.NullMarked;
