package dev.sandglass.runtime.container;

import dev.sandglass.linux.IdRange;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.SealedProgram;
import dev.sandglass.linux.UserNamespace;
import dev.sandglass.runtime.oci.SandboxDirectory;
import dev.sandglass.runtime.oci.Spec;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Lets the processes of an image go on in a sandbox that is another one. */
record CriuRestore(CriuImage image, SandboxDirectory directory) {
    /** With these an image is made and brought back. Connections within the sandbox go on; control groups are those of the launch. */
    static final List<String> FLAGS = List.of("--manage-cgroups=ignore", "--tcp-established", "--file-locks", "-v1");

    /** Processes and threads that CRIU itself has for a moment. */
    static final int LAUNCH_TASKS = 64;

    private static final Path NOTHING = Path.of("/dev/null");
    private static final Set<String> DEVICES = Set.of("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom");

    /** CRIU brings the old name back, and asks before the first process goes on. */
    private static final String NAMING =
            """
            #!/bin/sh
            [ "$CRTOOLS_SCRIPT_ACTION" = post-restore ] || exit 0
            exec nsenter --target "$CRTOOLS_INIT_PID" --uts sh -c 'echo "$SANDGLASS_HOSTNAME" >/proc/sys/kernel/hostname'
            """;

    /** The streams get numbers of their own: CRIU closes what is inherited, and trusts in having 0 to 2. */
    private static final String SCRIPT =
            """
            export SANDGLASS_HOSTNAME="$1"; shift; exec unshare --cgroup "$@" 3<&0 4>&1 5>&2 </dev/null >/dev/null""";
    private static final int FIRST_STREAM = 3;

    static SealedProgram naming() throws IOException {
        return SealedProgram.script("sandglass-name", NAMING);
    }

    /** The first process is already in the sandbox's control groups, and makes them the root of what is seen inside. */
    List<String> command(Criu criu, SealedProgram naming, String hostname) throws IOException {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "sandglass-restore", hostname));
        command.addAll(List.of(criu.program().toString(), "restore", "--restore-detached", "--pidfile", directory.pidFile().toString()));
        command.addAll(List.of("--images-dir", imageMount().toString(), "--work-dir", directory.path().toString()));
        command.addAll(List.of("--root", directory.root().toString(), "--action-script", naming.path().toString()));
        command.addAll(FLAGS);
        CriuImage.Outside outside = image.outside();
        for (int i = 0; i < outside.streams().size(); i++) {
            command.addAll(List.of("--inherit-fd", "fd[" + (FIRST_STREAM + i) + "]:" + outside.streams().get(i)));
        }
        for (int i = 0; i < outside.mounts().size(); i++) {
            command.addAll(List.of("--external", "mnt[" + outside.mounts().get(i).target() + "]:" + external(i)));
        }
        return command;
    }

    /**
     * Puts what was outside in place. CRIU forgets what a mount forbids when another one of the same filesystem forbids it too, so
     * each forbids it already here.
     *
     * @param ids the image is root's, and read by root of the sandbox
     * @param own what this sandbox has of its own
     */
    void mount(UserNamespace ids, List<Spec.Mount> own, List<String> masked) throws IOException {
        giveStreams();
        Files.createDirectory(imageMount());
        Mounts.bindMapped(image.directory(), imageMount(), ids);
        for (Path clock : image.clocks()) {
            Mounts.bind(clock, imageMount().resolve(clock.getFileName())); // read before the first process is root of the sandbox
        }
        List<CriuImage.Place> places = image.outside().mounts();
        for (int i = 0; i < places.size(); i++) {
            Path source = source(places.get(i).target(), own, masked);
            Path target = external(i);
            Files.createDirectories(target.getParent());
            if (Files.isDirectory(source)) {
                Files.createDirectory(target);
            } else {
                Files.createFile(target);
            }
            Mounts.bind(source, target, places.get(i).flags());
        }
    }

    /** Root of the sandbox opens them anew. */
    private void giveStreams() throws IOException {
        try {
            Files.createFile(directory.log());
        } catch (FileAlreadyExistsException _) {
            // the engine's process was quicker
        }
        for (Path stream : List.of(directory.in(), directory.out(), directory.log())) {
            Files.setAttribute(stream, "unix:uid", IdRange.SANDBOXES.first(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(stream, "unix:gid", IdRange.SANDBOXES.first(), LinkOption.NOFOLLOW_LINKS);
        }
    }

    private static Path source(String target, List<Spec.Mount> own, List<String> masked) throws IOException {
        Optional<Spec.Mount> bound = own.stream()
                .filter(mount -> mount.type().equals("bind") && mount.destination().equals(target))
                .findFirst();
        if (bound.isPresent()) {
            return Path.of(bound.get().source());
        }
        if (DEVICES.contains(target)) {
            return Path.of(target);
        }
        if (masked.contains(target)) {
            return NOTHING;
        }
        throw new IOException("the image was made with " + target + " from outside, which this host has not");
    }

    private Path imageMount() {
        return directory.mounts().resolve("image");
    }

    private Path external(int number) {
        return directory.mounts().resolve("external").resolve(Integer.toString(number));
    }
}
