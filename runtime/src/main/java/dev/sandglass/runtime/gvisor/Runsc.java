package dev.sandglass.runtime.gvisor;

import dev.sandglass.engine.runtime.Machine;
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
    static List<String> flags(boolean linked) {
        return List.of(
                "--platform=systrap", linked ? "--network=sandbox" : "--network=none", "--overlay2=none", "--oci-seccomp", "--net-disconnect-ok");
    }

    /**
     * It takes every namespace for the host's own in which it sees the kernel's defaults for buffers, and newer kernels show them in all: so it gets a view of the
     * machine without them. In a mount namespace of its own, because a container could not mount its {@code /proc} below a view that hides something.
     */
    private static final List<String> BLINDFOLDED =
            List.of("unshare", "--mount", "--propagation", "unchanged", "sh", "-c", "mount -t tmpfs -o ro none /proc/sys/net && exec \"$@\"", PROGRAM);

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
    static List<String> startCommand(Path state, SandboxDirectory directory, Machine machine, Optional<Path> image) {
        boolean linked = machine.network().isPresent();
        List<String> command = new ArrayList<>(linked ? BLINDFOLDED : List.of());
        command.addAll(List.of(PROGRAM, "--root=" + state));
        command.addAll(flags(linked));
        command.add(image.isPresent() ? "restore" : "run");
        image.ifPresent(path -> command.add("-image-path=" + path));
        command.addAll(List.of("-detach", "-bundle", directory.bundle().toString()));
        command.addAll(List.of("-pid-file", directory.pidFile().toString(), machine.id().text()));
        return command;
    }
}
