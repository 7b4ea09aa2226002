package dev.sandglass.bench.raw;

import dev.sandglass.bench.Content;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs an engine's command line.
 *
 * @param log where it complains; told in the message when it fails
 */
record Program(Path log) {
    private static final int DEADLINE_SECONDS = 60;
    private static final int COMPLAINT_LETTERS = 500;

    /** Runs it to its end without input or output. A container that it leaves behind must not hold a pipe of ours. */
    void run(List<String> command) throws IOException {
        await(command, builder(command).redirectInput(Redirect.from(Path.of("/dev/null").toFile())).redirectOutput(Redirect.DISCARD).start());
    }

    void feed(List<String> command, Content input) throws IOException {
        Process process = builder(command).redirectOutput(Redirect.DISCARD).start();
        try (OutputStream in = process.getOutputStream()) {
            input.writeTo(in);
        }
        await(command, process);
    }

    /** Reads its output to the end, which comes with its own; returns the number of bytes. */
    long drain(List<String> command) throws IOException {
        Process process = builder(command).start();
        process.getOutputStream().close();
        long count;
        try (InputStream out = process.getInputStream()) {
            count = out.transferTo(OutputStream.nullOutputStream());
        }
        await(command, process);
        return count;
    }

    private ProcessBuilder builder(List<String> command) {
        return new ProcessBuilder(command).redirectError(Redirect.appendTo(log.toFile()));
    }

    private void await(List<String> command, Process process) throws IOException {
        try {
            if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException(String.join(" ", command) + " did not end within " + DEADLINE_SECONDS + " s");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + " ended with status " + process.exitValue() + ": " + complaint());
        }
    }

    private String complaint() throws IOException {
        String text = Files.exists(log) ? Files.readString(log).strip() : "";
        return text.substring(Math.max(0, text.length() - COMPLAINT_LETTERS));
    }
}
