package dev.sandglass.cli;

import dev.sandglass.wire.VolumeMount;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options that say which volumes a sandbox has. */
final class VolumeOptions {
    private final Syntax.Values mounts;
    private final Syntax.Value from;

    /** @param inherited what becomes of those of a snapshot if nothing is said */
    VolumeOptions(Syntax syntax, String inherited) {
        mounts = syntax.values("VOLUME:PATH[:MODE]", "A volume and where it is mounted; MODE is ro, shared or rw, which is alone with it; may be repeated.", "-v", "--volume");
        from = syntax.value("HOW", "What it gets of the volumes that its snapshot had: share, fork (copies) or none; " + inherited + " if absent.", "--volumes");
    }

    @Nullable List<VolumeMount> mounts() {
        return mounts.all().isEmpty() ? null : mounts.all().stream().map(VolumeOptions::mount).toList();
    }

    @Nullable String from() {
        return from.orNull();
    }

    /** {@code VOLUME:PATH[:MODE]}. */
    static VolumeMount mount(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length < 2 || parts.length > 3 || parts[0].isEmpty() || !parts[1].startsWith("/") || (parts.length == 3 && parts[2].isEmpty())) {
            throw new UsageException("volume: " + text + " (expected: VOLUME:/PATH, or with :ro or :shared at its end)");
        }
        return new VolumeMount(parts[0], parts[1], parts.length == 3 ? parts[2] : null);
    }
}
