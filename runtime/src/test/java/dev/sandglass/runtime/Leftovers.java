package dev.sandglass.runtime;

import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.MountTable;
import dev.sandglass.runtime.oci.RunDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What is on the host of sandboxes of a run directory. */
final class Leftovers {
    private Leftovers() {}

    static List<String> of(RunDirectory run, Cgroups cgroups) throws IOException {
        List<String> found = new ArrayList<>();
        MountTable.under(run.path()).forEach(mount -> found.add("mount " + mount));
        cgroups.names(run.cgroupParent()).forEach(group -> found.add("cgroup " + group));
        for (Path directory : List.of(run.path().resolve("sandboxes"), run.path().resolve("state"))) {
            try (Stream<Path> files = Files.walk(directory)) {
                files.filter(file -> file.toString().contains("sbx-")).forEach(file -> found.add("file " + file));
            }
        }
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            processes.filter(process -> commandLine(process).contains(run.path() + "/"))
                    .forEach(process -> found.add("process " + commandLine(process)));
        }
        return found;
    }

    private static String commandLine(Path process) {
        if (!process.getFileName().toString().chars().allMatch(Character::isDigit)) {
            return "";
        }
        try {
            return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1).replace('\0', ' ');
        } catch (IOException _) {
            return "";
        }
    }
}
