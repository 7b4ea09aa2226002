/**
 * The native API: one class per noun, each a thin layer from an operation of {@code openapi.yaml} to a call of the engine.
 *
 * <p>{@code Contract} reads the description, {@code Api} pairs its operations with their handlers. The description is the routing
 * table: paths, parameters and bodies are checked against it before a handler runs, so handlers only translate.
 */
@NullMarked
package dev.sandglass.server.api;

import org.jspecify.annotations.NullMarked;
