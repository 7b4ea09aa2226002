package dev.sandglass.engine.operation;

import dev.sandglass.wire.OperationStatus;

/**
 * An operation at a moment.
 *
 * @param version goes up with every change
 */
public record Progress(long version, OperationStatus status) {
    public boolean ended() {
        return !status.state().equals("running");
    }
}
