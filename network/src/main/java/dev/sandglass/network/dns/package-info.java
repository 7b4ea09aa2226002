/**
 * The resolver of sandboxes: answers for the names that a policy allows, asks upstream for nothing else, and remembers which names an address stood for.
 */
@NullMarked
package dev.sandglass.network.dns;

import org.jspecify.annotations.NullMarked;
