package dev.sandglass.client;

import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.VolumeMount;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a new sandbox is to be; what is not said has the daemon's default. */
public final class CreateOptions {
    private final Map<String, String> envs = new HashMap<>();
    private final Map<String, String> metadata = new HashMap<>();
    private final List<VolumeMount> volumes = new ArrayList<>();
    private @Nullable List<String> credentials;
    private @Nullable String name;
    private @Nullable String template;
    private @Nullable String snapshotId;
    private @Nullable String image;
    private @Nullable String runtime;
    private @Nullable String security;
    private @Nullable Long memoryMb;
    private @Nullable Double cpus;
    private @Nullable Long diskMb;
    private @Nullable Duration timeout;
    private @Nullable String onTimeout;
    private @Nullable Duration ttl;
    private @Nullable Boolean autoResume;
    private @Nullable Boolean diskOnly;
    private @Nullable NetworkPolicy network;
    private @Nullable String volumesFrom;
    private @Nullable String user;
    private @Nullable String workdir;

    CreateOptions() {}

    /** A random one if not said. */
    public CreateOptions name(String text) {
        name = text;
        return this;
    }

    /** The template to begin with; it is built on first use. */
    public CreateOptions template(String text) {
        template = text;
        return this;
    }

    /** The snapshot to begin with: a name or an id. */
    public CreateOptions snapshotId(String text) {
        snapshotId = text;
        return this;
    }

    /** The image from elsewhere to begin with. */
    public CreateOptions image(String text) {
        image = text;
        return this;
    }

    /** {@code auto}, {@code container} or {@code gvisor}. */
    public CreateOptions runtime(String text) {
        runtime = text;
        return this;
    }

    /** {@code strict} or {@code standard}. */
    public CreateOptions security(String text) {
        security = text;
        return this;
    }

    public CreateOptions memoryMb(long megabytes) {
        memoryMb = megabytes;
        return this;
    }

    public CreateOptions cpus(double count) {
        cpus = count;
        return this;
    }

    public CreateOptions diskMb(long megabytes) {
        diskMb = megabytes;
        return this;
    }

    /** An environment variable of its commands. */
    public CreateOptions env(String key, String value) {
        envs.put(key, value);
        return this;
    }

    public CreateOptions envs(Map<String, String> all) {
        envs.putAll(all);
        return this;
    }

    /** What it can be found by. */
    public CreateOptions metadata(String key, String value) {
        metadata.put(key, value);
        return this;
    }

    public CreateOptions metadata(Map<String, String> all) {
        metadata.putAll(all);
        return this;
    }

    /** After that time it is destroyed, or paused if {@link #onTimeout} says so; zero is never. */
    public CreateOptions timeout(Duration time) {
        timeout = time;
        return this;
    }

    /** {@code kill} or {@code pause}. */
    public CreateOptions onTimeout(String what) {
        onTimeout = what;
        return this;
    }

    /** After that time without use it is paused; zero is never. */
    public CreateOptions ttl(Duration time) {
        ttl = time;
        return this;
    }

    /** Whether its use lets it go on when it is paused. */
    public CreateOptions autoResume(boolean wanted) {
        autoResume = wanted;
        return this;
    }

    /** Begins with the disk of a full snapshot, and not with its processes. */
    public CreateOptions diskOnly() {
        diskOnly = true;
        return this;
    }

    /** What it may reach: {@code none}, {@code open} or {@code package-registries}. */
    public CreateOptions network(String preset) {
        return network(new NetworkPolicy(preset, null, null));
    }

    public CreateOptions network(NetworkPolicy policy) {
        network = policy;
        return this;
    }

    /** A credential that its requests may get. */
    public CreateOptions credential(String credential) {
        credentials = new ArrayList<>(credentials == null ? List.of() : credentials);
        credentials.add(credential);
        return this;
    }

    /** A volume that it has from the start, by name or id. */
    public CreateOptions volume(String volume, String path) {
        volumes.add(new VolumeMount(volume, path, null));
        return this;
    }

    /** @param mode {@code rw}, {@code shared} or {@code ro} */
    public CreateOptions volume(String volume, String path, String mode) {
        volumes.add(new VolumeMount(volume, path, mode));
        return this;
    }

    /** What it gets of the volumes of its snapshot: {@code share}, {@code fork} or {@code none}. */
    public CreateOptions volumesFrom(String what) {
        volumesFrom = what;
        return this;
    }

    /** As whom its commands run if they do not say. */
    public CreateOptions user(String text) {
        user = text;
        return this;
    }

    /** Where its commands run if they do not say. */
    public CreateOptions workdir(String directory) {
        workdir = directory;
        return this;
    }

    CreateSandbox request() {
        return new CreateSandbox(
                name, runtime, security, memoryMb, cpus, diskMb, null, envs, metadata, null, null, seconds(timeout), onTimeout, seconds(ttl), null, null, snapshotId, diskOnly, autoResume, null, null, null, network,
                credentials, volumes.isEmpty() ? null : volumes, volumesFrom, image, user, workdir, template);
    }

    static @Nullable Long seconds(@Nullable Duration time) {
        return time == null ? null : time.plusMillis(999).toSeconds();
    }
}
