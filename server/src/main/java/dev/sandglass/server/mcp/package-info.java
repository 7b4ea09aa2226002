/**
 * The Model Context Protocol: what agents need of the API as tools, resources and prompts, on the same engine calls.
 *
 * <p>{@code Methods} answers requests, whichever way they came: one by one over HTTP ({@code HttpEndpoint}), or as lines that {@code sandglass mcp} carries
 * ({@code LineConversation}). {@code Version} knows what the revisions of the protocol differ in: those up to 2025-11-25 begin with {@code initialize} and have sessions, the later ones have neither.
 * What models and people read stands in {@code tools.yaml} and {@code guide.yaml}; a tool is a function of that name in one of the {@code ...Tools}.
 */
@NullMarked
package dev.sandglass.server.mcp;

import org.jspecify.annotations.NullMarked;
