package dev.sandglass.server.doctor;

import dev.sandglass.pool.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Programs that Sandglass runs or is built with. */
final class ProgramChecks {
    private record Need(String program, String use, boolean essential, String debianPackage) {}

    private static final List<Need> NEEDS = List.of(
            new Need("mmdebstrap", "makes the base image", true, "mmdebstrap"),
            new Need("mkfs.btrfs", "makes the pool", false, "btrfs-progs"),
            new Need("unshare", "makes the namespaces of the daemon and of sandboxes", true, "util-linux"),
            new Need("gcc", "builds the guest agent", false, "gcc"),
            new Need("make", "builds the guest agent", false, "make"),
            new Need("mvn", "builds the program", false, "maven"),
            new Need("tmux", "tests run the command line in it", false, "tmux"),
            new Need("zsh", "tests complete names in it", false, "zsh"),
            new Need("fish", "tests complete names in it", false, "fish"));

    private ProgramChecks() {}

    static List<Finding> run() {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.pass("Java", System.getProperty("java.version") + " in " + System.getProperty("java.home")));
        for (Need need : NEEDS) {
            Optional<Path> found = Program.find(need.program());
            String remedy = "`sandglass " + (need.use().startsWith("tests") ? "test" : "setup") + "` installs it (Debian package "
                    + need.debianPackage() + ").";
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
}
