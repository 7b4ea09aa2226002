package dev.sandglass.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What is mounted in this process's mount namespace, read anew each time. Stateless. */
public final class MountTable {
    private static final Path FILE = Path.of("/proc/self/mountinfo");

    private MountTable() {}

    /** The mount points at and below a directory, outermost last. */
    public static List<Path> under(Path directory) throws IOException {
        return lines().stream()
                .map(line -> Path.of(unescape(line.split(" ", 6)[4])))
                .filter(point -> point.startsWith(directory))
                .toList()
                .reversed();
    }

    /**
     * What a process has mounted.
     *
     * @param root which part of the filesystem is seen there
     */
    public record Entry(long id, String target, String root, String type, Set<MountFlag> flags) {}

    /** What the namespace of a process has, in the order in which it was mounted. */
    public static List<Entry> of(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(pid), "mountinfo"), StandardCharsets.ISO_8859_1).stream()
                .map(MountTable::entry)
                .toList();
    }

    private static Entry entry(String line) {
        String[] fields = line.split(" ", 7);
        Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
        for (String option : fields[5].split(",")) {
            MountFlag.named(option).ifPresent(flags::add);
        }
        String type = line.substring(line.indexOf(" - ") + 3).split(" ", 2)[0];
        return new Entry(Long.parseLong(fields[0]), unescape(fields[4]), unescape(fields[3]), type, Set.copyOf(flags));
    }

    /** What is mounted at exactly this real path: the source of the topmost mount. */
    public static Optional<Path> source(Path target) throws IOException {
        String wanted = new String(target.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return lines().reversed().stream()
                .filter(line -> unescape(line.split(" ", 6)[4]).equals(wanted))
                .map(line -> Path.of(unescape(line.substring(line.indexOf(" - ") + 3).split(" ")[1])))
                .findFirst();
    }

    /** Read byte by byte: mount points of others may have names that are no text. */
    static List<String> lines() throws IOException {
        return Files.readAllLines(FILE, StandardCharsets.ISO_8859_1);
    }

    static String unescape(String field) {
        return field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\");
    }
}
