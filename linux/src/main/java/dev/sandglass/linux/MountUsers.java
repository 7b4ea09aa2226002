package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Who keeps a mount from going: processes that are in it or have something of it open, as far as they can be seen. Stateless. */
public final class MountUsers {
    private static final int MOST = 5;

    private MountUsers() {}

    /** What they have of it, in words; a mount below it counts too. */
    public static List<String> of(Path mountPoint) throws IOException {
        List<String> found = new ArrayList<>();
        MountTable.under(mountPoint).stream().filter(point -> !point.equals(mountPoint)).forEach(point -> found.add("the mount " + point));
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                links(process)
                        .filter(link -> leadsInto(link, mountPoint))
                        .forEach(link -> found.add("process " + process.getFileName() + " (" + name(process) + ") by " + process.relativize(link)));
            }
        }
        return found.stream().limit(MOST).toList();
    }

    private static Stream<Path> links(Path process) {
        List<Path> links = new ArrayList<>(List.of(process.resolve("cwd"), process.resolve("root")));
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
            descriptors.forEach(links::add);
        } catch (IOException ended) {
            return Stream.empty();
        }
        return links.stream();
    }

    private static boolean leadsInto(Path link, Path mountPoint) {
        try {
            return Files.readSymbolicLink(link).startsWith(mountPoint);
        } catch (IOException ended) {
            return false;
        }
    }

    private static String name(Path process) {
        try {
            return Files.readString(process.resolve("comm")).strip();
        } catch (IOException ended) {
            return "ended";
        }
    }
}
