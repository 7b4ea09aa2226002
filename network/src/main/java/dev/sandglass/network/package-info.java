/** The Network port on this host: gives sandboxes pairs of namespaces and opens their gateways. */
@NullMarked
package dev.sandglass.network;

import org.jspecify.annotations.NullMarked;
