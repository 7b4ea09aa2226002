/**
 * Pools: sandboxes of one snapshot or template that are kept ready to be claimed. This package knows which there are to be and what they begin with; those that wait
 * are made and given away by {@code engine.life}.
 */
@NullMarked
package dev.sandglass.engine.ready;

import org.jspecify.annotations.NullMarked;
