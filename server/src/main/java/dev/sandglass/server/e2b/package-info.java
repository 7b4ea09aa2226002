/**
 * The control plane for E2B clients: their requests are told from those of the API ({@code Addresses}), and become calls of the
 * same engine. Their ids are ours without the dash.
 */
@NullMarked
package dev.sandglass.server.e2b;

import org.jspecify.annotations.NullMarked;
