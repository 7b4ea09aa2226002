package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;

/** What a sandbox uses by a credential is counted here. */
public record Account(SandboxId sandbox, String credential) {}
