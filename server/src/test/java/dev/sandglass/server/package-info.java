/**
 * The product from end to end: a real daemon in a process of its own, real sandboxes on every runtime, over HTTP.
 *
 * <p>{@code SharedDaemon} gives tests the daemon and leaves nothing behind, {@code TestSandbox} is a sandbox with its
 * commands and files, {@code Caller} is the HTTP client that holds every answer to {@code openapi.yaml}.
 */
@NullMarked
package dev.sandglass.server;

import org.jspecify.annotations.NullMarked;
