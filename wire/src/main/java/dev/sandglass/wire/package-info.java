/**
 * What goes over the wire: the records of the API, the one exception with its codes, and JSON.
 *
 * <p>Everything else may use this package; it uses nothing of ours. Field names in JSON are the component names in
 * snake_case, as {@code openapi.yaml} has them.
 */
@NullMarked
package dev.sandglass.wire;

import org.jspecify.annotations.NullMarked;
