package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Cut;
import dev.sandglass.cli.terminal.Termios;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What a verb has to do with: three streams, which of them (0, 1, 2) are terminals, and the environment. */
record Console(InputStream in, OutputStream out, OutputStream err, Set<Integer> terminals, Map<String, String> environment) {
    static final int IN = 0;
    static final int OUT = 1;
    static final int ERR = 2;

    /** The streams of this process, unbuffered: what is printed is gathered before. */
    static Console ofProcess() {
        return new Console(
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                terminalsOfProcess(),
                System.getenv());
    }

    Console with(Map<String, String> otherEnvironment) {
        return new Console(in, out, err, terminals, otherEnvironment);
    }

    boolean terminal(int stream) {
        return terminals.contains(stream);
    }

    /** Whether colours and bold are welcome on standard output. */
    boolean styled() {
        return terminal(OUT) && environment.getOrDefault("NO_COLOR", "").isEmpty() && !"dumb".equals(environment.get("TERM"));
    }

    /** The text as wide as the terminal on standard output; as it is where that is none. */
    String fitting(String text) {
        return terminal(OUT) ? Cut.lines(text, Termios.size().cols()) : text;
    }

    void print(String text) {
        write(out, text);
    }

    void warn(String text) {
        write(err, text);
    }

    private static void write(OutputStream stream, String text) {
        try {
            stream.write(text.getBytes(StandardCharsets.UTF_8));
            stream.flush();
        } catch (IOException nobodyReads) {
            throw new UncheckedIOException(nobodyReads);
        }
    }

    /** The launcher tells it for free; without it, the names behind the descriptors do. */
    private static Set<Integer> terminalsOfProcess() {
        String told = System.getProperty("sandglass.terminals");
        Set<Integer> found = new HashSet<>();
        for (int stream = IN; stream <= ERR; stream++) {
            if (told == null ? looksLikeTerminal(stream) : told.indexOf('0' + stream) >= 0) {
                found.add(stream);
            }
        }
        return found;
    }

    private static boolean looksLikeTerminal(int stream) {
        try {
            String name = Files.readSymbolicLink(Path.of("/proc/self/fd/" + stream)).toString();
            return name.startsWith("/dev/pts/") || name.startsWith("/dev/tty") || name.equals("/dev/console");
        } catch (IOException unknown) {
            return false;
        }
    }
}
