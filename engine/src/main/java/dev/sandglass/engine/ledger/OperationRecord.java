package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.OperationStatus;
import java.util.Optional;

/**
 * An operation as the ledger has it.
 *
 * @param sandbox the one that it makes, once that is known
 */
public record OperationRecord(OperationStatus status, Optional<SandboxId> sandbox) {}
