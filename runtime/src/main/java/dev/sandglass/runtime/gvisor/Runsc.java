package dev.sandglass.runtime.gvisor;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.runtime.oci.SandboxDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command lines of runsc. */
final class Runsc {
    static final String PROGRAM = "runsc";

    /**
     * A full snapshot is restored with the flags with which it was taken. Control groups are not ignored: runsc enters those
     * that it finds, makes none of its own, and shows their memory limit inside as the memory of the machine.
     */
    static final List<String> FLAGS = List.of(
            "--platform=systrap", "--network=none", "--overlay2=none", "--oci-seccomp", "--net-disconnect-ok");

    /** Older ones lack systrap or forget mounts at restore. */
    static final int OLDEST = 2024_01_01;

    /** From here on the pages of an image are in a file of their own, as its control socket takes them. */
    static final int CAPTURES = 2024_06_17;

    /** From here on the attributes of a symbolic link can be read; before, the answer EBADF makes `ls -l` fail. */
    private static final int READS_LINK_ATTRIBUTES = 2024_10_28;

    private static final Pattern DATE = Pattern.compile("\\b(20\\d{6})\\b");

    private Runsc() {}

    /** The date in a version like {@code release-20240729.0} or {@code 0.0~20240729.0}; 0 if it has none. */
    static int date(String version) {
        Matcher matcher = DATE.matcher(version);
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    /** System calls that are so broken in that version that programs do better without them. */
    static List<String> brokenCalls(String version) {
        return date(version) < READS_LINK_ATTRIBUTES ? List.of("lgetxattr") : List.of();
    }

    /** Where the kernel of a sandbox listens. */
    static Path controlSocket(Path state, SandboxId id) {
        return state.resolve("runsc-" + id + ".sock");
    }

    /** @param image from which the sandbox goes on, if it does not begin anew */
    static List<String> startCommand(Path state, SandboxDirectory directory, SandboxId id, Optional<Path> image) {
        List<String> command = new ArrayList<>(List.of(PROGRAM, "--root=" + state));
        command.addAll(FLAGS);
        command.add(image.isPresent() ? "restore" : "run");
        image.ifPresent(path -> command.add("-image-path=" + path));
        command.addAll(List.of("-detach", "-bundle", directory.bundle().toString()));
        command.addAll(List.of("-pid-file", directory.pidFile().toString(), id.text()));
        return command;
    }
}
