package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.Path;

/** Work inside a network namespace that a file names: a socket belongs for good to the namespace in which it was opened. Stateless. */
public final class NetworkNamespace {
    private static final long CLONE_NEWNET = 0x40000000;

    private NetworkNamespace() {}

    /** Makes a new one and does work in it, on a thread that is in no other. It goes with its last socket, or stays as it is pinned to a file that is there. */
    public static <T> T make(Path file, OwnThread.Work<T> work) throws IOException {
        return OwnThread.call("network-namespace", () -> {
            // SAFETY: takes a number only, and acts on the calling thread, which ends here.
            Libc.call("unshare of a network namespace", SystemCall.UNSHARE, CLONE_NEWNET);
            Mounts.bind(Path.of("/proc/thread-self/ns/net"), file);
            return work.run();
        });
    }

    /** Does it on a thread of its own that is in the namespace, and nowhere else afterwards. */
    public static <T> T call(Path namespace, OwnThread.Work<T> work) throws IOException {
        return OwnThread.call("network-namespace", () -> {
            try (Fd file = Fd.open(namespace, SystemCall.O_RDONLY)) {
                // SAFETY: takes numbers only, and acts on the calling thread, which ends here.
                Libc.call("setns " + namespace, SystemCall.SETNS, file.number(), CLONE_NEWNET);
            }
            return work.run();
        });
    }
}
