package dev.sandglass.bench;

import java.io.IOException;
import java.util.List;

/** A contender that captures sandboxes with their memory and processes, and lets copies of them go on. */
public interface Capturing extends Contender {
    /** Whether it does so here. */
    boolean captures();

    /** Starts a sandbox with a load, and waits until it holds it. */
    Held hold(Load load) throws IOException;

    /** A sandbox that can be captured, and its last capture. */
    interface Held extends AutoCloseable {
        /** Captures it, in place of an earlier capture; returns for how many nanoseconds it stood still. */
        long capture() throws IOException;

        /** Lets a copy of the capture go on and ends it; returns after how many nanoseconds {@code true} had run in it. */
        long copy() throws IOException;

        /** The same for a copy of the sandbox as it is now. */
        long fork() throws IOException;

        /** Lets so many copies of the capture go on and ends them; returns after how many nanoseconds all of them ran. */
        long copies(int count) throws IOException;

        @Override
        void close() throws IOException;
    }

    /**
     * What is in memory.
     *
     * @param megabytes of noise, which no engine can make smaller
     */
    record Load(int megabytes, int processes) {
        private static final String READY = "/tmp/ready";
        private static final String PROGRAM =
                """
                import os, sys, time
                kept = os.urandom(int(sys.argv[1]) << 20)
                parent = os.getpid()
                for _ in range(int(sys.argv[2]) - 1):
                    if os.getpid() == parent:
                        os.fork()
                if os.getpid() == parent:
                    open(sys.argv[3], 'w').close()
                while True:
                    time.sleep(3600)
                """;

        public List<String> argv() {
            return List.of("python3", "-B", "-c", PROGRAM, Integer.toString(megabytes), Integer.toString(processes), READY);
        }

        /** Succeeds inside as soon as the load is there. */
        public static List<String> probe() {
            return List.of("sh", "-c", "for i in $(seq 600); do test -e " + READY + " && exit 0; sleep 0.1; done; exit 1");
        }
    }
}
