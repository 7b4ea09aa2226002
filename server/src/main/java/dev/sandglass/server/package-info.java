/**
 * The daemon: reads the configuration, opens the adapters, puts the engine together and serves it; and the two programs
 * beside it that need the same adapters, the doctor and the builder of the base image.
 */
@NullMarked
package dev.sandglass.server;

import org.jspecify.annotations.NullMarked;
