/**
 * The client of container registries: manifests and blobs over HTTPS with the certificates that the host trusts, over plain HTTP on the loopback only. Registries are strangers: what they
 * send is bounded in size and time here, and held to digests by whoever reads it; credentials go to the registry, and to the token server that it names, and nowhere else.
 */
@NullMarked
package dev.sandglass.network.oci;

import org.jspecify.annotations.NullMarked;
