package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.UUID;

/**
 * What btrfs says of a subvolume.
 *
 * @param uuid its own name, never used again
 * @param source the uuid of the subvolume that this is a copy of; zero when it is none
 * @param generation the transaction that last changed it; being copied counts as a change
 * @param made the transaction that made it: what changed its source later has a higher number
 */
public record Subvolume(long id, UUID uuid, UUID source, long generation, long made) {
    private static final long GET_SUBVOL_INFO = Btrfs.read(60, 504);

    /** The subvolume that the path lies in. */
    public static Subvolume of(Path path) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(path)) {
            MemorySegment info = arena.allocate(504, 8);
            fd.ioctl("btrfs: subvolume info", GET_SUBVOL_INFO, info);
            return new Subvolume(
                    info.get(ValueLayout.JAVA_LONG, 0),
                    uuid(info, 296),
                    uuid(info, 312),
                    info.get(ValueLayout.JAVA_LONG, 280),
                    info.get(ValueLayout.JAVA_LONG, 352));
        }
    }

    private static UUID uuid(MemorySegment info, long offset) {
        ValueLayout.OfLong bigEndian = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
        return new UUID(info.get(bigEndian, offset), info.get(bigEndian, offset + 8));
    }
}
