package dev.sandglass.runtime.container;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An installed CRIU, which captures processes of the host's kernel. */
record Criu(int major, int minor) {
    static final String OLDEST = "4.1";
    private static final Pattern VERSION = Pattern.compile("Version:\\s*(\\d+)\\.(\\d+)");
    private static final int DEADLINE_SECONDS = 20;
    private static final int ANSWER_BYTES = 8192;

    static Optional<Criu> find() {
        return run("--version").flatMap(Criu::parse);
    }

    static Optional<Criu> parse(String answer) {
        Matcher matcher = VERSION.matcher(answer);
        return matcher.find()
                ? Optional.of(new Criu(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    String version() {
        return major + "." + minor;
    }

    /** Why it cannot capture anything here. */
    Optional<String> obstacle() {
        if (major < 4 || (major == 4 && minor < 1)) {
            return Optional.of("CRIU " + version() + " is too old (expected: " + OLDEST + " or later)");
        }
        return run("check").isPresent() ? Optional.empty() : Optional.of("`criu check` fails on this kernel");
    }

    /** What it prints, if it succeeds. */
    private static Optional<String> run(String argument) {
        try {
            Process process = new ProcessBuilder("criu", argument).redirectErrorStream(true).start();
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
