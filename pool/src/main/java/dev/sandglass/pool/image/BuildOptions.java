package dev.sandglass.pool.image;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Optional;

/**
 * How to build an image.
 *
 * @param suite the distribution's suite; without it the host's own
 * @param rebuild builds even if there is one already
 */
public record BuildOptions(Optional<String> suite, boolean rebuild) {
    public static final BuildOptions DEFAULT = new BuildOptions(Optional.empty(), false);

    public BuildOptions {
        suite.ifPresent(name -> {
            if (!name.matches("[a-z0-9][a-z0-9.-]{0,63}")) {
                throw new SandglassException(
                        ErrorCode.INVALID_REQUEST,
                        "suite: " + name + " (expected: a name such as bookworm)",
                        "Name a suite of this host's distribution.");
            }
        });
    }
}
