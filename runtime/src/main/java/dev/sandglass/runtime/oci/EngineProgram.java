package dev.sandglass.runtime.oci;

import dev.sandglass.linux.ChildProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An installed engine. */
public record EngineProgram(String name, String version) {
    private static final Pattern VERSION = Pattern.compile("version\\s+(?:release-)?(\\S+)");
    private static final int DEADLINE_SECONDS = 20;
    private static final int ANSWER_BYTES = 8192;

    /** The program with that name, if it is there and tells its version. */
    public static Optional<EngineProgram> find(String name) {
        return answer(name, "--version")
                .map(VERSION::matcher)
                .filter(Matcher::find)
                .map(matcher -> new EngineProgram(name, matcher.group(1)));
    }

    /** What a program printed, and whether it was there and succeeded. */
    public record Outcome(boolean succeeded, String text) {}

    /** What a program prints to that argument, if it is there and succeeds. */
    public static Optional<String> answer(String name, String argument) {
        Outcome outcome = run(name, argument);
        return outcome.succeeded() ? Optional.of(outcome.text()) : Optional.empty();
    }

    /** Runs a program that takes an instant. */
    public static Outcome run(String name, String argument) {
        try {
            Process process = ChildProcess.start(new ProcessBuilder(name, argument).redirectErrorStream(true));
            try (InputStream output = process.getInputStream()) {
                process.getOutputStream().close();
                String answer = new String(output.readNBytes(ANSWER_BYTES), StandardCharsets.UTF_8);
                return new Outcome(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0, answer);
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException problem) {
            return new Outcome(false, String.valueOf(problem.getMessage()));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new Outcome(false, "interrupted");
        }
    }
}
