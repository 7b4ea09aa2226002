/**
 * Looks into connections of sandboxes that speak HTTP, request by request: where a policy tells requests apart, or a secret is to be added that the sandbox must not
 * see. TLS ends here with a certificate of an authority that only that sandbox trusts, and begins again towards the server, whose certificate is checked.
 */
@NullMarked
package dev.sandglass.network.intercept;

import org.jspecify.annotations.NullMarked;
