package dev.sandglass.engine.oci;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import org.jspecify.annotations.Nullable;

/** What to say about an image that is not taken, or not made. Stateless. */
public final class Refusal {
    private static final int SHOWN = 200;

    private Refusal() {}

    public static SandglassException of(String what) {
        return new SandglassException(
                ErrorCode.IMAGE_REFUSED, "The image is not taken: " + what + ".", "Ask whoever made or serves it; nothing of it was kept.");
    }

    /** Of the disk of a sandbox that is to become one. */
    public static SandglassException ofDisk(String what) {
        return new SandglassException(ErrorCode.IMAGE_REFUSED, "No image is made of this disk: " + what + ".", "Remove in the sandbox what is too much, and take a snapshot anew.");
    }

    /** A text from outside, as it can stand in a message. */
    public static String shown(@Nullable String text) {
        if (text == null) {
            return "missing";
        }
        return (text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text).replaceAll("[^\\x20-\\x7e]", "?");
    }
}
