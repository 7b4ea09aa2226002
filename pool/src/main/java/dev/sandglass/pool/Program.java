package dev.sandglass.pool;

import dev.sandglass.linux.ChildProcess;
import dev.sandglass.linux.SearchPath;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A program of the host, run to its end. */
public final class Program {
    private static final int OUTPUT_LIMIT = 4096;

    private Program() {}

    /** Where the program is: on the path, or where the system's own programs are. */
    public static Optional<Path> find(String name) {
        return SearchPath.ofEnvironment().find(name);
    }

    /** Runs it in the C locale; throws with the first line that it printed when it fails. */
    static void run(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        Process process = ChildProcess.start(builder);
        try {
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readNBytes(OUTPUT_LIMIT), StandardCharsets.UTF_8);
            process.getInputStream().transferTo(OutputStream.nullOutputStream());
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(output.strip().lines().findFirst().orElse(command.getFirst() + " ended with " + status));
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted: " + command.getFirst());
        }
    }
}
