package dev.sandglass.server.mcp;

import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sandboxes and snapshots as tools show them: what a model needs to go on, since it pays for each word. */
final class Summaries {
    private Summaries() {}

    static Map<String, @Nullable Object> of(Sandbox sandbox) {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("id", sandbox.id());
        summary.put("name", sandbox.name());
        summary.put("state", sandbox.state());
        summary.put("reason", sandbox.reason());
        summary.put("runtime", sandbox.runtime());
        summary.put("memory_mb", sandbox.memoryMb());
        summary.put("cpus", sandbox.cpus());
        summary.put("snapshot", sandbox.snapshot());
        summary.put("created_at", sandbox.createdAt().toString());
        summary.put("warnings", sandbox.warnings().isEmpty() ? null : sandbox.warnings());
        return summary;
    }

    static Map<String, @Nullable Object> of(Snapshot snapshot) {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("id", snapshot.id());
        summary.put("name", snapshot.name());
        summary.put("kind", snapshot.kind());
        summary.put("state", snapshot.state());
        summary.put("sandbox", snapshot.sandboxName());
        summary.put("parent", snapshot.parent());
        summary.put("description", snapshot.description().isEmpty() ? null : snapshot.description());
        summary.put("pause_ms", snapshot.pauseMs());
        summary.put("created_at", snapshot.createdAt().toString());
        summary.put("expires_at", snapshot.expiresAt() == null ? null : snapshot.expiresAt().toString());
        return summary;
    }
}
