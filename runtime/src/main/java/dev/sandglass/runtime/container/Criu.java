package dev.sandglass.runtime.container;

import dev.sandglass.linux.SearchPath;
import dev.sandglass.runtime.oci.EngineProgram;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An installed CRIU, which captures processes of the host's kernel. */
record Criu(Path program, int major, int minor) {
    static final String OLDEST = "4.1";
    private static final Pattern VERSION = Pattern.compile("Version:\\s*(\\d+)\\.(\\d+)");
    /** What CRIU itself runs, and what a restore is started with. */
    private static final List<String> NEEDED = List.of("ip", "tar", "gzip", "unshare", "nsenter");
    private static final int MOST_WORDS = 300;

    static Optional<Criu> find() {
        return SearchPath.ofEnvironment()
                .find("criu")
                .flatMap(program -> EngineProgram.answer(program.toString(), "--version").flatMap(answer -> parse(program, answer)));
    }

    static Optional<Criu> parse(Path program, String answer) {
        Matcher matcher = VERSION.matcher(answer);
        return matcher.find()
                ? Optional.of(new Criu(program, Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
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
        for (String needed : NEEDED) {
            if (SearchPath.SYSTEM.find(needed).isEmpty()) {
                return Optional.of("CRIU " + version() + " needs the program " + needed + ", which is not installed");
            }
        }
        EngineProgram.Outcome check = EngineProgram.run(program.toString(), "check");
        return check.succeeded()
                ? Optional.empty()
                : Optional.of("`criu check` of CRIU " + version() + " fails on this kernel: " + CriuLog.oneLine(check.text(), MOST_WORDS));
    }
}
