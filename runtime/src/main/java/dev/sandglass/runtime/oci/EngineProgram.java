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
    private static final int DEADLINE_SECONDS = 10;
    private static final int ANSWER_BYTES = 4096;

    /** The program with that name, if it is there and tells its version. */
    public static Optional<EngineProgram> find(String name) {
        try {
            Process process = new ProcessBuilder(name, "--version").redirectErrorStream(true).start();
            try (InputStream output = process.getInputStream()) {
                process.getOutputStream().close();
                String answer = new String(output.readNBytes(ANSWER_BYTES), StandardCharsets.UTF_8);
                Matcher matcher = VERSION.matcher(answer);
                boolean works = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
                return works && matcher.find() ? Optional.of(new EngineProgram(name, matcher.group(1))) : Optional.empty();
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
