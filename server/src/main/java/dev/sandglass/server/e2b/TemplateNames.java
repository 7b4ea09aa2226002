package dev.sandglass.server.e2b;

import dev.sandglass.engine.Engine;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import java.util.Map;
import java.util.Optional;

/** What E2B clients mean by the name of a template: one of ours, the base image, or a snapshot. Thread-safe. */
final class TemplateNames {
    /** Our base image. */
    static final String BASE = "base";
    /** Names that are known from elsewhere, and what is the same here. */
    private static final Map<String, String> KNOWN = Map.of(
            "code-interpreter-v1", "code-interpreter",
            "code-interpreter-beta", "code-interpreter",
            "claude", "claude-code",
            "anthropic-claude-code", "claude-code");

    private final Engine engine;
    private final SnapshotNames snapshots;

    TemplateNames(Engine engine, SnapshotNames snapshots) {
        this.engine = engine;
        this.snapshots = snapshots;
    }

    /** What a sandbox can begin with. */
    sealed interface Origin {
        /** The base image. */
        record Base() implements Origin {}

        /** A template of ours, by its name. */
        record OfTemplate(String name) implements Origin {}

        /** A snapshot, with whatever processes it has. */
        record OfSnapshot(Snapshot snapshot) implements Origin {}
    }

    /** What is meant by a name or an id; {@code template_not_found}. */
    Origin find(String asked) {
        return Ids.snapshot(asked).map(id -> snapshot(id.text(), asked)).orElseGet(() -> named(asked));
    }

    private Origin snapshot(String id, String asked) {
        try {
            return new Origin.OfSnapshot(engine.snapshots().get(id));
        } catch (SandglassException missing) {
            throw missing.code() == ErrorCode.SNAPSHOT_NOT_FOUND ? unknown(asked) : missing;
        }
    }

    private Origin named(String asked) {
        String plain = plain(asked);
        if (engine.templates().isBuilt(plain).isPresent()) {
            return new Origin.OfTemplate(plain);
        }
        if (plain.equals(BASE)) {
            return new Origin.Base();
        }
        return Optional.ofNullable(KNOWN.get(plain))
                .filter(name -> engine.templates().isBuilt(name).isPresent())
                .<Origin>map(Origin.OfTemplate::new)
                .or(() -> snapshots.find(asked).map(Origin.OfSnapshot::new))
                .orElseThrow(() -> unknown(asked));
    }

    /** Without the team before it and the tag behind it. */
    static String plain(String asked) {
        String name = asked.substring(asked.lastIndexOf('/') + 1);
        int colon = name.indexOf(':');
        return colon < 0 ? name : name.substring(0, colon);
    }

    static SandglassException unknown(String asked) {
        return new SandglassException(ErrorCode.TEMPLATE_NOT_FOUND, "template '" + Ids.shown(asked) + "' not found", "");
    }
}
