package dev.sandglass.wire;

import java.io.IOException;

/** Turns trouble with the host's files into an error that a user can act on. */
public final class StorageFailure {
    private StorageFailure() {}

    /** {@code disk_full} where there is no room, else {@code storage_failed}. */
    public static SandglassException of(String what, IOException cause) {
        String message = what + ": " + reason(cause);
        return isFull(cause)
                ? new SandglassException(
                        ErrorCode.DISK_FULL, message, "Remove sandboxes that are not needed, or make room on the disk.", cause)
                : new SandglassException(
                        ErrorCode.STORAGE_FAILED, message, "Run `sandglass doctor` and look at the disk of the data directory.", cause);
    }

    /** The JDK tells of an errno only by its text, which the C locale of the daemon keeps the same everywhere. */
    private static boolean isFull(IOException cause) {
        String text = String.valueOf(cause.getMessage());
        return text.contains("No space left on device") || text.contains("Disk quota exceeded");
    }

    /** Exceptions like {@code NoSuchFileException} have the path alone as their message. */
    private static String reason(IOException cause) {
        return cause.getClass() == IOException.class || cause.getMessage() == null
                ? String.valueOf(cause.getMessage())
                : cause.getClass().getSimpleName().replace("Exception", "") + " " + cause.getMessage();
    }
}
