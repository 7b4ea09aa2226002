package dev.sandglass.server.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Programs that Sandglass runs or is built with. */
final class ProgramChecks {
    private record Need(String program, String use, boolean essential, String debianPackage) {}

    private static final List<Need> NEEDS = List.of(
            new Need("mmdebstrap", "makes the base image", true, "mmdebstrap"),
            new Need("mkfs.btrfs", "makes the pool", false, "btrfs-progs"),
            new Need("gcc", "builds the guest agent", false, "gcc"),
            new Need("make", "builds the guest agent", false, "make"),
            new Need("mvn", "builds the program", false, "maven"),
            new Need("tmux", "tests run the command line in it", false, "tmux"));

    private ProgramChecks() {}

    static List<Finding> run(Map<String, String> environment) {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.pass("Java", System.getProperty("java.version") + " in " + System.getProperty("java.home")));
        for (Need need : NEEDS) {
            Optional<Path> found = find(environment, need.program());
            String remedy = "`sandglass setup` installs it (Debian package " + need.debianPackage() + ").";
            String missing = "missing: it " + need.use();
            findings.add(
                    found.isPresent()
                            ? Finding.pass(need.program(), found.get().toString())
                            : need.essential()
                                    ? Finding.fail(need.program(), missing, remedy)
                                    : Finding.warn(need.program(), missing, remedy));
        }
        return findings;
    }

    private static Optional<Path> find(Map<String, String> environment, String program) {
        String path = environment.getOrDefault("PATH", "") + ":/usr/sbin:/sbin";
        for (String directory : path.split(":", -1)) {
            Path file = Path.of(directory.isEmpty() ? "." : directory, program);
            if (Files.isExecutable(file) && !Files.isDirectory(file)) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }
}
