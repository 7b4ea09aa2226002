/**
 * Tar archives, entry by entry: ustar with pax headers and GNU long names. Names are bytes, as strings with one character for each
 * (ISO 8859-1). What is read is not checked: whoever makes files of it decides where they may lie.
 */
@NullMarked
package dev.sandglass.wire.tar;

import org.jspecify.annotations.NullMarked;
