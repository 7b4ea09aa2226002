/**
 * The sandbox plane for E2B clients: what they ask of the inside of one sandbox, which is its processes, its files and its ports.
 */
@NullMarked
package dev.sandglass.server.e2b.envd;

import org.jspecify.annotations.NullMarked;
