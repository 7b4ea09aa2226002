package dev.sandglass.server.e2b;

import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;

/** The sandboxes that E2B clients can name. Thread-safe. */
record Visible(Sandboxes sandboxes) {
    /** One that runs or rests; {@code sandbox_not_found}. */
    Sandbox get(String id) {
        Sandbox sandbox = existing(id);
        if (Presentation.state(sandbox).isEmpty()) {
            throw Ids.unknownSandbox(id);
        }
        return sandbox;
    }

    /** One that was not destroyed, in whatever state; {@code sandbox_not_found}. */
    Sandbox existing(String id) {
        try {
            return sandboxes.get(Ids.sandbox(id).text());
        } catch (SandglassException missing) {
            throw missing.code() == ErrorCode.SANDBOX_NOT_FOUND ? Ids.unknownSandbox(id) : missing;
        }
    }
}
