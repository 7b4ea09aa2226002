package dev.sandglass.server.e2b;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Optional;

/** Ids as E2B clients have them: without the dash, since there it would begin something else. */
final class Ids {
    private Ids() {}

    /** The sandbox of that id, as the engine knows it; {@code sandbox_not_found} if the text is none. */
    static SandboxId sandbox(String text) {
        int dash = text.indexOf('-'); // old clients add a word
        return SandboxId.undashed(dash < 0 ? text : text.substring(0, dash)).orElseThrow(() -> unknownSandbox(text));
    }

    static SandglassException unknownSandbox(String text) {
        return new SandglassException(ErrorCode.SANDBOX_NOT_FOUND, "sandbox \"" + shown(text) + "\" not found", "");
    }

    /** The snapshot of that id, with whatever tag behind it. */
    static Optional<SnapshotId> snapshot(String text) {
        int colon = text.indexOf(':');
        return SnapshotId.undashed(colon < 0 ? text : text.substring(0, colon));
    }

    static String undashed(String id) {
        return id.replace("-", "");
    }

    /** A text from outside as messages show it. */
    static String shown(String text) {
        String cut = text.length() > 100 ? text.substring(0, 100) + "..." : text;
        return cut.replaceAll("\\p{C}", "?");
    }
}
