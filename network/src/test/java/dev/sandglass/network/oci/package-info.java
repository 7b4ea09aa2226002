@NullMarked
package dev.sandglass.network.oci;

import org.jspecify.annotations.NullMarked;
