/** Images on their way into pools of real files. */
@NullMarked
package dev.sandglass.engine.oci;

import org.jspecify.annotations.NullMarked;
