package dev.sandglass.server;

import dev.sandglass.runtime.oci.RunDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A mount namespace pinned in a run directory, as the launcher makes it. */
final class MountNamespace {
    private MountNamespace() {}

    /** Makes it, unless a test run that was cut off has left it: then that one is taken over. */
    static void pin(Path run) throws IOException {
        shell(run, """
                if mountpoint -q ns/mnt; then exit 0; fi
                mkdir -p ns && chmod 711 . && mount --bind ns ns && mount --make-private ns && touch ns/mnt
                unshare --mount="$PWD/ns/mnt" --propagation private sh -c \
                    'if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi'
                """);
    }

    /** The words to put before a command that is to run inside. */
    static List<String> enter(Path run) {
        return List.of("nsenter", "--mount=" + run.resolve("ns/mnt"), "--");
    }

    /** Runs a script inside and gives what it prints. */
    static String inside(Path run, String script) throws IOException {
        return output(new ProcessBuilder("nsenter", "--mount=" + run.resolve("ns/mnt"), "--", "sh", "-ec", script));
    }

    static void unpin(Path run) throws IOException {
        shell(run, """
                umount ns/mnt; umount ns
                for group in /sys/fs/cgroup/*/"$1"; do if [ -d "$group" ]; then rmdir "$group"; fi; done
                rm -rf --one-file-system "$PWD"
                """);
    }

    private static void shell(Path run, String script) throws IOException {
        Files.createDirectories(run);
        output(new ProcessBuilder("sh", "-ec", script, "sh", new RunDirectory(run).cgroupParent()).directory(run.toFile()));
    }

    static String output(ProcessBuilder builder) throws IOException {
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.onExit().join().exitValue();
        if (status != 0) {
            throw new IOException("status " + status + ": " + output);
        }
        return output;
    }
}
