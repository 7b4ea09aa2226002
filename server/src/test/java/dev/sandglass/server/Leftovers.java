package dev.sandglass.server;

import dev.sandglass.wire.Sandbox;
import dev.sandglass.runtime.oci.RunDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Everything on this host that a daemon's sandboxes consist of: mounts, control groups, processes, files of engines, trees,
 * networks, identities and loop devices, each as a line with the id of its sandbox.
 */
record Leftovers(Set<String> found, Set<String> known) {
    private static final Pattern ID = Pattern.compile("sbx-[a-z0-9]{12}");

    static Leftovers of(TestDaemon daemon) throws IOException {
        Set<String> found = new TreeSet<>();
        Path own = Path.of("/proc", Long.toString(daemon.pid()));
        for (String line : Files.readAllLines(own.resolve("mountinfo"))) {
            note(found, "mount", line);
        }
        Path root = own.resolve("root");
        names(found, "tree", root.resolve(daemon.data().resolve("pool").toString().substring(1)));
        names(found, "identity", daemon.data().resolve("sandboxes"));
        names(found, "directory", daemon.run().resolve("sandboxes"));
        names(found, "network", daemon.run().resolve("net"));
        for (Path engine : entries(daemon.run().resolve("state"))) {
            names(found, "engine state", engine);
        }
        String group = new RunDirectory(daemon.run()).cgroupParent();
        for (Path hierarchy : entries(Path.of("/sys/fs/cgroup"))) {
            names(found, "cgroup", hierarchy.resolve(group));
        }
        names(found, "cgroup", Path.of("/sys/fs/cgroup", group));
        processes(found, group);
        loopDevices(found, daemon.data().resolve("pool.img"));
        Set<String> known = daemon.api().list().stream().map(Sandbox::id).collect(Collectors.toSet());
        return new Leftovers(found, known);
    }

    /** What belongs to no sandbox that the daemon knows. */
    Set<String> strays() {
        return found.stream()
                .filter(line -> known.stream().noneMatch(line::contains))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The lines of one sandbox. */
    Set<String> of(String id) {
        return found.stream().filter(line -> line.contains(id)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Sandboxes are in control groups, their helpers have the run directory in their command line. */
    private static void processes(Set<String> found, String group) throws IOException {
        for (Path process : entries(Path.of("/proc"))) {
            if (process.getFileName().toString().matches("[0-9]+")) {
                String facts = read(process.resolve("cgroup")) + read(process.resolve("cmdline"));
                if (facts.contains(group)) {
                    note(found, "process " + process.getFileName(), facts);
                }
            }
        }
    }

    /** One device for the pool is right; a second one would destroy it. */
    private static void loopDevices(Set<String> found, Path image) throws IOException {
        Set<String> devices = new TreeSet<>();
        for (Path device : entries(Path.of("/sys/block"))) {
            if (read(device.resolve("loop/backing_file")).strip().equals(image.toString())) {
                devices.add(device.getFileName().toString());
            }
        }
        if (devices.size() > 1) {
            found.add("loop devices " + devices);
        }
    }

    private static void names(Set<String> found, String kind, Path directory) throws IOException {
        for (Path entry : entries(directory)) {
            note(found, kind, entry.getFileName().toString());
        }
    }

    private static void note(Set<String> found, String kind, String text) {
        Matcher ids = ID.matcher(text);
        while (ids.find()) {
            found.add(kind + " of " + ids.group());
        }
    }

    static Set<Path> entries(Path directory) throws IOException {
        Set<Path> entries = new TreeSet<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
                stream.forEach(entries::add);
            }
        }
        return entries;
    }

    /** Processes may end while they are looked at. */
    static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }
}
