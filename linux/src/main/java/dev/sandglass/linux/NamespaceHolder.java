package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A process that does nothing, in a user namespace with the ids of sandboxes and in a network namespace that belongs to it: whoever is root in the first is
 * root over the second. Both live as long as it does, or as they are pinned. A process of several threads cannot enter a new user namespace, hence the child.
 */
public final class NamespaceHolder implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Process process;

    private NamespaceHolder(Process process) {
        this.process = process;
    }

    public static NamespaceHolder make() throws IOException {
        NamespaceHolder holder = new NamespaceHolder(ChildProcess.start(
                new ProcessBuilder("unshare", "--user", "--net", "sh", "-c", "echo ready; read line").redirectError(ProcessBuilder.Redirect.DISCARD)));
        try (ChildProcess.Watch _ = ChildProcess.killAfter(holder.process, PATIENCE)) {
            if (holder.process.getInputStream().read() != 'r') {
                throw new IOException("unshare --user --net failed; are user namespaces switched off (user.max_user_namespaces)?");
            }
            UserNamespace.map(holder.directory(), IdRange.SANDBOXES);
            return holder;
        } catch (IOException | RuntimeException problem) {
            holder.close();
            throw problem;
        }
    }

    public long pid() {
        return process.pid();
    }

    /** Makes these files, and names of the two namespaces of them, until they are unmounted. */
    public void pin(Path user, Path network) throws IOException {
        for (Path file : List.of(user, network)) {
            Files.createFile(file);
        }
        Mounts.bind(directory().resolve("ns/user"), user);
        Mounts.bind(directory().resolve("ns/net"), network);
    }

    private Path directory() {
        return Path.of("/proc", Long.toString(pid()));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
