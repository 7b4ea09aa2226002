package dev.sandglass.client;

import dev.sandglass.wire.CreateSnapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a snapshot is to be; what is not said has its default. */
public final class SnapshotOptions {
    private final Map<String, String> metadata = new HashMap<>();
    private @Nullable String name;
    private @Nullable String description;
    private @Nullable Boolean diskOnly;
    private @Nullable Duration expires;

    SnapshotOptions() {}

    public SnapshotOptions name(String text) {
        name = text;
        return this;
    }

    public SnapshotOptions description(String text) {
        description = text;
        return this;
    }

    public SnapshotOptions metadata(String key, String value) {
        metadata.put(key, value);
        return this;
    }

    public SnapshotOptions metadata(Map<String, String> all) {
        metadata.putAll(all);
        return this;
    }

    /** Without processes and memory. */
    public SnapshotOptions diskOnly() {
        diskOnly = true;
        return this;
    }

    /** After that time it goes by itself. */
    public SnapshotOptions expires(Duration time) {
        expires = time;
        return this;
    }

    CreateSnapshot request() {
        return new CreateSnapshot(name, description, metadata, diskOnly, CreateOptions.seconds(expires));
    }
}
