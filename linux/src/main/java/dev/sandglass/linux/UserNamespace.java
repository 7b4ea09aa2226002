package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A user namespace with an id range, held open by a descriptor to name the range in idmapped mounts. Nothing runs in it: a
 * process of several threads cannot enter a new one, so a short-lived child makes it.
 */
public final class UserNamespace implements AutoCloseable {
    private final Fd namespace;

    private UserNamespace(Fd namespace) {
        this.namespace = namespace;
    }

    /** Makes one; takes some milliseconds, so keep it. */
    public static UserNamespace mapping(IdRange range) throws IOException {
        Process holder = ChildProcess.start(new ProcessBuilder("unshare", "--user", "sh", "-c", "echo ready; read line")
                .redirectError(ProcessBuilder.Redirect.DISCARD));
        try {
            if (holder.getInputStream().read() != 'r') {
                throw new IOException("unshare --user failed; are user namespaces switched off (user.max_user_namespaces)?");
            }
            Path process = Path.of("/proc", Long.toString(holder.pid()));
            map(process, range);
            return new UserNamespace(Fd.open(process.resolve("ns/user"), SystemCall.O_RDONLY));
        } finally {
            holder.destroyForcibly();
        }
    }

    /** Maps the ids of a namespace in which a process is and that has no map yet. */
    static void map(Path process, IdRange range) throws IOException {
        Files.writeString(process.resolve("uid_map"), range.map());
        Files.writeString(process.resolve("gid_map"), range.map());
    }

    int descriptor() {
        return namespace.number();
    }

    @Override
    public void close() throws ErrnoException {
        namespace.close();
    }
}
