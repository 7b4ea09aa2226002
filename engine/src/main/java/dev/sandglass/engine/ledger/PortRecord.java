package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;

/**
 * A port of a sandbox whose links were made worthless once.
 *
 * @param generation the word of its links of now
 */
public record PortRecord(SandboxId sandbox, int port, String generation) {}
