package dev.sandglass.runtime.container;

import dev.sandglass.runtime.oci.EngineProgram;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An installed CRIU, which captures processes of the host's kernel. */
record Criu(int major, int minor) {
    static final String OLDEST = "4.1";
    private static final Pattern VERSION = Pattern.compile("Version:\\s*(\\d+)\\.(\\d+)");
    private static final String PROGRAM = "criu";

    static Optional<Criu> find() {
        return EngineProgram.answer(PROGRAM, "--version").flatMap(Criu::parse);
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
        return EngineProgram.answer(PROGRAM, "check").isPresent() ? Optional.empty() : Optional.of("`criu check` fails on this kernel");
    }
}
