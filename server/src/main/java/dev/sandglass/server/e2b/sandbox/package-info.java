/**
 * What both planes of E2B clients need to know of a sandbox: what its creator asked for that the engine has no word for
 * ({@code Facts}), and the tokens that let in ({@code Access}).
 */
@NullMarked
package dev.sandglass.server.e2b.sandbox;

import org.jspecify.annotations.NullMarked;
