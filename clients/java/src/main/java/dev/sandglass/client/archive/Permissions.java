package dev.sandglass.client.archive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Permission bits as numbers. Set-uid and set-gid are not copied, as owners are not: with another owner they mean something else, and from a sandbox
 * they would be a danger.
 */
public final class Permissions {
    /** What is copied: sticky too. */
    private static final int COPIED = 01777;

    private static final int SET_ID = 06000;

    private static final List<PosixFilePermission> FROM_HIGHEST_BIT = List.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);

    private Permissions() {}

    /** For a new file or directory; the user's umask applies. */
    public static FileAttribute<Set<PosixFilePermission>> attribute(int mode) {
        return PosixFilePermissions.asFileAttribute(of(mode));
    }

    public static Set<PosixFilePermission> of(int mode) {
        Set<PosixFilePermission> permissions = new HashSet<>();
        for (int bit = 0; bit < FROM_HIGHEST_BIT.size(); bit++) {
            if ((mode & (0400 >> bit)) != 0) {
                permissions.add(FROM_HIGHEST_BIT.get(bit));
            }
        }
        return permissions;
    }

    /** All bits that it has. */
    public static int mode(Path path, LinkOption... options) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", options) & (COPIED | SET_ID);
    }

    /** Those of them that are copied. */
    public static int copied(int mode) {
        return mode & COPIED;
    }

    /** Whether there are some that are not. */
    public static boolean hasSetId(int mode) {
        return (mode & SET_ID) != 0;
    }

    /** Gives a file or directory the bits that are copied. */
    public static void set(Path path, int mode, LinkOption... options) throws IOException {
        Files.setAttribute(path, "unix:mode", copied(mode), options);
    }
}
