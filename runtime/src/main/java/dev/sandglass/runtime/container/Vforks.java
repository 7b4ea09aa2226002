package dev.sandglass.runtime.container;

import dev.sandglass.linux.Cgroup;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * Processes that wait until a child has executed its program. Nothing stops them while they do, so CRIU would wait for the parent, which waits
 * for the child, which CRIU has stopped.
 */
record Vforks(Cgroup group) {
    private static final long CLONE_VFORK = 0x4000;
    private static final String CLONE3 = "435";
    /** The calls in which a process can wait so, and clone, which says in its first argument whether it does. */
    private static final Map<String, Set<String>> WAITING = Map.of("amd64", Set.of("58", CLONE3), "aarch64", Set.of(CLONE3));
    private static final Map<String, String> CLONE = Map.of("amd64", "56", "aarch64", "220");

    /** Whether there is one among the processes of the group, which stand still. */
    boolean any() throws IOException {
        for (String pid : Files.readAllLines(group.freezerDirectory().resolve("cgroup.procs"))) {
            try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", pid, "task"))) {
                for (Path thread : threads) {
                    if (waits(thread)) {
                        return true;
                    }
                }
            } catch (IOException | DirectoryIteratorException _) {
                // it was killed meanwhile
            }
        }
        return false;
    }

    private static boolean waits(Path thread) throws IOException {
        String[] words = Files.readString(thread.resolve("syscall")).strip().split(" ");
        String machine = System.getProperty("os.arch");
        return WAITING.getOrDefault(machine, Set.of()).contains(words[0])
                || (words.length > 1 && words[0].equals(CLONE.get(machine)) && (Long.decode(words[1]) & CLONE_VFORK) != 0);
    }
}
