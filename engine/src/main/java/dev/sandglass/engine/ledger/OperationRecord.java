package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Sandbox;
import java.util.Map;
import java.util.Optional;

/**
 * An operation as the ledger has it: without the environment of its sandbox, in which there may be secrets, and which goes with the sandbox.
 *
 * @param sandbox the one that it makes, once that is known
 */
public record OperationRecord(OperationStatus status, Optional<SandboxId> sandbox) {
    public OperationRecord {
        Sandbox made = status.sandbox();
        status = made == null ? status : status.withSandbox(made.withEnv(Map.of()));
    }
}
