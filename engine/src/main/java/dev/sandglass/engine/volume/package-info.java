/**
 * Volumes: durable directories that outlive sandboxes. {@code Volumes} makes, lists, copies and removes them; {@code VolumeFiles} reads and writes their files, in a
 * sandbox, because what is in a volume is as hostile as what is in a sandbox. How they come into sandboxes is the affair of {@code engine.life}.
 */
@NullMarked
package dev.sandglass.engine.volume;

import org.jspecify.annotations.NullMarked;
