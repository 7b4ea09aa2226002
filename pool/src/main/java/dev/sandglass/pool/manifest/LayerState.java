package dev.sandglass.pool.manifest;

import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.Subvolume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What btrfs says of a read-only subvolume: while it is the same, nothing in the subvolume changed. */
record LayerState(UUID uuid, UUID source, long made, long generation) {
    private static final Pattern TEXT = Pattern.compile("btrfs ([0-9a-f-]{36}) ([0-9a-f-]{36}) (\\d{1,18}) (\\d{1,18})");
    /** A subvolume's root directory always has this inode number. */
    private static final long ROOT_INODE = 256;

    private static final UUID NONE = new UUID(0, 0);

    /** Of the subvolume that the directory lies in, directly below its top; none where anything may change. */
    static Optional<LayerState> of(Path directory) throws IOException {
        Path parent = directory.toAbsolutePath().getParent();
        boolean isInSubvolume = parent != null && Btrfs.isOn(parent) && (long) Files.getAttribute(parent, "unix:ino") == ROOT_INODE;
        if (parent == null || !isInSubvolume || !Btrfs.isReadOnly(parent)) {
            return Optional.empty();
        }
        Subvolume subvolume = Subvolume.of(parent);
        return Optional.of(new LayerState(subvolume.uuid(), subvolume.source(), subvolume.made(), subvolume.generation()));
    }

    static Optional<LayerState> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        return matcher.matches()
                ? Optional.of(new LayerState(
                        UUID.fromString(matcher.group(1)),
                        UUID.fromString(matcher.group(2)),
                        Long.parseLong(matcher.group(3)),
                        Long.parseLong(matcher.group(4))))
                : Optional.empty();
    }

    String text() {
        return "btrfs " + uuid + " " + source + " " + made + " " + generation;
    }

    /** Whether this was taken from the same subvolume, no earlier than the other. */
    boolean follows(LayerState other) {
        return source.equals(other.source) && !source.equals(NONE) && made >= other.made;
    }
}
