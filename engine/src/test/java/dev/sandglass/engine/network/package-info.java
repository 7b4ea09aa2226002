/** Tests of what a sandbox may reach. */
@NullMarked
package dev.sandglass.engine.network;

import org.jspecify.annotations.NullMarked;
