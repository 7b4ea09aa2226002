package dev.sandglass.runtime.oci;

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

    /** What a program prints to that argument, if it is there and succeeds. */
    public static Optional<String> answer(String name, String argument) {
        try {
            Process process = new ProcessBuilder(name, argument).redirectErrorStream(true).start();
            try (InputStream output = process.getInputStream()) {
                process.getOutputStream().close();
                String answer = new String(output.readNBytes(ANSWER_BYTES), StandardCharsets.UTF_8);
                boolean works = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
                return works ? Optional.of(answer) : Optional.empty();
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException _) {
            return Optional.empty();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
