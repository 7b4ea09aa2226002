package dev.sandglass.runtime.container;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What CRIU says of a capture that failed. Sandboxes have a say in it: names of files and programs. */
record CriuLog(Path file) {
    private static final int TAIL_BYTES = 4000;
    private static final int MOST_WORDS = 1000;
    private static final String NO_ROOM = "No space left on device";
    private static final Pattern PROCESS = Pattern.compile("\\(pid: (\\d+)\\)");
    /** Time and place in CRIU's source, which tell a user nothing. */
    private static final Pattern ORIGIN = Pattern.compile("^\\([\\d.]+\\)\\s*|\\b(Error|Warn)\\s+\\([^)]*\\): ");
    /** A limit of open files that CRIU would like to raise, and tools that a network without rules does not need: no reasons to fail. */
    private static final Pattern HARMLESS = Pattern.compile("RLIMIT_NOFILE|tables.*-save|^Warn");

    /** @param status with which CRIU ended */
    IOException failure(SandboxId id, int status) {
        String words = words();
        if (words.contains(NO_ROOM)) {
            throw new SandglassException(
                    ErrorCode.DISK_FULL, "There is no room for the memory of " + id + ".", "Remove snapshots, or make the disk larger.");
        }
        Matcher process = PROCESS.matcher(words);
        if (process.find()) {
            throw new SandglassException(
                    ErrorCode.SNAPSHOT_BLOCKED,
                    "The memory of " + id + " cannot be captured because of " + process(process.group(1)) + ": " + oneLine(words, MOST_WORDS),
                    "End or restart that process, or take a snapshot of the disk only.");
        }
        return new IOException("criu dump ended with status " + status + (words.isEmpty() ? "" : ": " + oneLine(words, MOST_WORDS)));
    }

    /** By the number and the name that it has in the sandbox, if it is still there. */
    private static String process(String pid) {
        Path process = Path.of("/proc", pid);
        try {
            Optional<String> numbers = Files.readAllLines(process.resolve("status"), StandardCharsets.ISO_8859_1).stream()
                    .filter(line -> line.startsWith("NSpid:"))
                    .findFirst();
            String inside = numbers.map(line -> line.substring(line.lastIndexOf('\t') + 1)).orElse("?");
            String command = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1).replace('\0', ' ');
            return "process " + inside + " (" + oneLine(command, 200) + ")";
        } catch (IOException _) {
            return "a process that has ended";
        }
    }

    private String words() {
        StringBuilder words = new StringBuilder();
        for (String line : tail().split("\n")) {
            if (!HARMLESS.matcher(line).find()) {
                words.append(ORIGIN.matcher(line).replaceAll("")).append('\n');
            }
        }
        return words.toString().strip();
    }

    private String tail() {
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            log.seek(Math.max(0, log.length() - TAIL_BYTES));
            byte[] tail = new byte[TAIL_BYTES];
            return new String(tail, 0, Math.max(0, log.read(tail)), StandardCharsets.UTF_8);
        } catch (IOException _) {
            return "";
        }
    }

    static String oneLine(String text, int most) {
        String line = text.strip().replaceAll("\\s*\n\\s*", "; ").replaceAll("\\p{Cntrl}", "?");
        return line.length() <= most ? line : line.substring(0, most) + "...";
    }
}
