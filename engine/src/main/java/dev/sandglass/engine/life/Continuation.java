package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Map;

/** What must hold where captured processes go on; the first that does not is refused by its name, before anything is made. */
final class Continuation {
    private static final long MIB = 1 << 20;

    private Continuation() {}

    static void require(SnapshotRecord.Memory captured, SnapshotRecord snapshot, CreateSandbox request, Runtime runtime) {
        if (!runtime.name().equals(snapshot.runtime())) {
            throw differs("runtime", runtime.name(), snapshot.runtime());
        }
        if (request.security() != null && !request.security().equals(captured.security().text())) {
            throw differs("security", request.security(), captured.security().text());
        }
        if (request.capAdd() != null || request.capDrop() != null) {
            throw differs("cap_add, cap_drop", "given", "those of the snapshot");
        }
        requireTraits(captured, runtime);
    }

    /** Captured processes keep the link that they have, or none. */
    static void requireLink(SnapshotRecord.Memory captured, boolean linked) {
        if (captured.linked() != linked) {
            throw differs("network", linked ? "a link" : "none", captured.linked() ? "a link" : "none");
        }
    }

    /** What must be the same where a sandbox goes on and where its processes were captured. */
    static void requireTraits(SnapshotRecord.Memory captured, Runtime runtime) {
        Map<String, String> here = runtime.traits(captured.linked());
        captured.traits().forEach((name, value) -> {
            String now = here.getOrDefault(name, "absent");
            if (!now.equals(value)) {
                throw differs(name, now, value);
            }
        });
    }

    static void requireRoom(Limits limits, long least) {
        if (limits.memoryBytes() < least) {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "memory_mb: " + limits.memoryBytes() / MIB + " is less than the processes of the snapshot need (expected: >= " + (least + MIB - 1) / MIB + ")",
                    "Give it more memory, or take only the disk of the snapshot (disk_only).");
        }
    }

    static SandglassException differs(String field, String here, String expected) {
        return new SandglassException(
                ErrorCode.CONFLICT,
                field + ": " + here + " (expected: " + expected + ", as where the processes of the snapshot were captured)",
                "Take only the disk of the snapshot (disk_only), and its programs start anew.");
    }
}
