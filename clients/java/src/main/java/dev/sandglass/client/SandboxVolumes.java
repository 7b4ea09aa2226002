package dev.sandglass.client;

import dev.sandglass.wire.VolumeMount;
import org.jspecify.annotations.Nullable;

/** The volumes of a sandbox. */
public final class SandboxVolumes {
    private final Daemon daemon;
    private final String sandbox;

    SandboxVolumes(Daemon daemon, String sandbox) {
        this.daemon = daemon;
        this.sandbox = sandbox;
    }

    /**
     * Mounts a volume, at once if the sandbox runs.
     *
     * @param mode {@code rw}, {@code shared} or {@code ro}; the default if null
     */
    public void attach(String volume, String path, @Nullable String mode) {
        daemon.ask(client -> client.volumes().attach(sandbox, new VolumeMount(volume, path, mode)));
    }

    /** Takes a volume from it; a {@code conflict} while processes use it. */
    public void detach(String volume) {
        daemon.ask(client -> client.volumes().detach(sandbox, volume));
    }
}
