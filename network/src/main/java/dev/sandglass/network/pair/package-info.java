/**
 * The pair of namespaces that each sandbox lives beside: its own, and that of its gateway, to which every address is local. All pairs are alike, so they are made
 * ahead; nothing of the network of the host is touched.
 */
@NullMarked
package dev.sandglass.network.pair;

import org.jspecify.annotations.NullMarked;
