package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** What went wrong with a sandbox, as its client is told. */
final class Failure {
    private Failure() {}

    static SandglassException of(SandboxRecord record, Exception problem) {
        return switch (problem) {
            case SandglassException known -> known;
            case InterruptedException stopped -> {
                Thread.currentThread().interrupt();
                yield new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
            }
            default ->
                new SandglassException(
                        ErrorCode.INTERNAL,
                        "The sandbox " + record.name() + " could not be dealt with: " + problem,
                        "The daemon's log has the details.",
                        problem);
        };
    }
}
