/** Keys of the host that no sandbox and no other user sees, each in a file of its own. */
@NullMarked
package dev.sandglass.engine.key;

import org.jspecify.annotations.NullMarked;
