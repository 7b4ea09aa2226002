package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Filesystems of block devices, mounted in this mount namespace. Stateless. */
public final class BlockMount {
    private static final long NOSUID = 2;
    private static final long NODEV = 4;
    private static final long NOATIME = 1024;
    private static final long NOFOLLOW = 8;

    private BlockMount() {}

    /** Mounts without set-uid, device files and access times. */
    public static void mount(Path device, Path target, String type, String options) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            // SAFETY: four NUL-terminated texts that live as long as the arena.
            Libc.call(
                    "mount " + target,
                    StorageCall.MOUNT,
                    Libc.text(arena, device.toString()),
                    Libc.text(arena, target.toString()),
                    Libc.text(arena, type),
                    NOSUID | NODEV | NOATIME,
                    Libc.text(arena, options));
        }
    }

    public static void unmount(Path target) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            // SAFETY: a NUL-terminated text that lives as long as the arena.
            Libc.call("unmount " + target, StorageCall.UMOUNT2, Libc.text(arena, target.toString()), NOFOLLOW);
        }
    }

    /** What is mounted at exactly this real path: the source of the topmost mount. */
    public static Optional<Path> source(Path target) throws IOException {
        // Byte by byte: other mount points may have names that are no text.
        List<String> lines = Files.readAllLines(Path.of("/proc/self/mountinfo"), StandardCharsets.ISO_8859_1);
        String wanted = new String(target.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        for (String line : lines.reversed()) {
            String[] fields = line.split(" ");
            if (unescape(fields[4]).equals(wanted)) {
                return Optional.of(Path.of(unescape(line.substring(line.indexOf(" - ") + 3).split(" ")[1])));
            }
        }
        return Optional.empty();
    }

    private static String unescape(String field) {
        return field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\");
    }
}
