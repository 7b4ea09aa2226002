package dev.sandglass.client;

import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.VolumeMount;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What copies are to be, where they differ from their source. */
public final class ForkOptions {
    private final Map<String, String> envs = new HashMap<>();
    private final Map<String, String> metadata = new HashMap<>();
    private final List<VolumeMount> volumes = new ArrayList<>();
    private @Nullable String name;
    private @Nullable Long memoryMb;
    private @Nullable Double cpus;
    private @Nullable Duration timeout;
    private @Nullable Boolean diskOnly;
    private @Nullable String volumesFrom;

    ForkOptions() {}

    /** Theirs, with -1, -2 and so on if there are several. */
    public ForkOptions name(String text) {
        name = text;
        return this;
    }

    public ForkOptions env(String key, String value) {
        envs.put(key, value);
        return this;
    }

    public ForkOptions envs(Map<String, String> all) {
        envs.putAll(all);
        return this;
    }

    public ForkOptions metadata(String key, String value) {
        metadata.put(key, value);
        return this;
    }

    public ForkOptions memoryMb(long megabytes) {
        memoryMb = megabytes;
        return this;
    }

    public ForkOptions cpus(double count) {
        cpus = count;
        return this;
    }

    public ForkOptions timeout(Duration time) {
        timeout = time;
        return this;
    }

    /** Without processes and memory. */
    public ForkOptions diskOnly() {
        diskOnly = true;
        return this;
    }

    public ForkOptions volume(String volume, String path) {
        volumes.add(new VolumeMount(volume, path, null));
        return this;
    }

    /** What they get of the volumes of their source: {@code share}, {@code fork} or {@code none}. */
    public ForkOptions volumesFrom(String what) {
        volumesFrom = what;
        return this;
    }

    ForkSandbox request(int count) {
        return new ForkSandbox(
                count, name, memoryMb, cpus, envs, metadata, CreateOptions.seconds(timeout), diskOnly, volumes.isEmpty() ? null : volumes, volumesFrom);
    }
}
