/**
 * Components: named install steps with a verify step of their own, and bundles of them.
 *
 * <p>Sandglass brings some along, the data directory may have more, and a request may define its own. A plan puts those that are wanted after those that they require,
 * and they are installed in a sandbox one after the other; one that fails does not keep others from being installed.
 */
@NullMarked
package dev.sandglass.engine.component;

import org.jspecify.annotations.NullMarked;
