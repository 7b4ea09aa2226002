package dev.sandglass.pool.image;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import org.jspecify.annotations.Nullable;

/** Errors about images: each says what is wrong and how to put it right. */
final class ImageFailure {
    private static final String REBUILD = "Run `sandglass setup --rebuild-image`.";

    private ImageFailure() {}

    static SandglassException unavailable(String what, @Nullable Throwable cause) {
        return new SandglassException(ErrorCode.IMAGE_UNAVAILABLE, "The base image " + what, REBUILD, cause);
    }

    static SandglassException notBuilt(String why, String hint, @Nullable Throwable cause) {
        return new SandglassException(
                ErrorCode.IMAGE_UNAVAILABLE, "The base image could not be built: " + why, hint, cause);
    }
}
