package dev.sandglass.cli.archive;

import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Permission bits as numbers; set-uid, set-gid and sticky bits have no place here. */
public final class Permissions {
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

    public static int bits(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (int bit = 0; bit < FROM_HIGHEST_BIT.size(); bit++) {
            mode |= permissions.contains(FROM_HIGHEST_BIT.get(bit)) ? 0400 >> bit : 0;
        }
        return mode;
    }
}
