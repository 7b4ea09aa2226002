package dev.sandglass.engine.service;

import dev.sandglass.engine.life.Rules;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.HealthCheck;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A service as it is to be, every value checked: all of them can be written into a unit file and are read back as they were meant.
 *
 * @param program a name or an absolute path
 * @param user a name or a number; root if empty
 * @param directory absolute; the user's home if empty
 */
record Definition(
        String name,
        String program,
        List<String> arguments,
        Optional<String> description,
        Optional<String> directory,
        Map<String, String> env,
        Optional<String> user,
        Optional<String> group,
        OptionalInt port,
        Restart restart,
        int maxRestarts,
        long backoffMillis,
        Optional<Health> health,
        List<String> after) {
    /** When it is started again after its end; the word of a unit file. */
    enum Restart {
        NEVER("no"),
        ON_FAILURE("on-failure"),
        ALWAYS("always");

        private final String word;

        Restart(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    /** How it is told whether it is well. */
    record Health(Check check, long intervalMillis, long timeoutMillis, int retries) {}

    /** What is tried. */
    sealed interface Check {
        /** A line of shell. */
        record Command(String line) implements Check {}

        /** A request to its port. */
        record Path(String path) implements Check {}

        /** A connection to its port. */
        record Tcp() implements Check {}
    }

    static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
    private static final String NAME_TEXT = "1 to 63 letters, digits, '_', '.', '-', beginning with a letter or digit, without .service at the end";
    private static final Pattern OTHER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:@-]{0,127}");
    private static final Pattern USER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,254}");
    /** What systemd takes for itself at the beginning of a command. */
    private static final String PREFIXES = "@-:+!|";

    private static final String TYPE = ".service";
    /** What the agent reads of a unit file: words of a line, bytes of a word and of a line, all of it. */
    private static final int MOST_WORDS = 128;

    private static final int MOST_WORD_BYTES = 4096;
    private static final int MOST_LINE_BYTES = 16384;
    private static final int MOST_AFTER = 32;
    /** The agent remembers so many starts, the first one among them. */
    private static final int MOST_RESTARTS = 63;

    private static final int MOST_LINE = 1000;
    private static final int DEFAULT_RESTARTS = 10;
    private static final long DEFAULT_BACKOFF = 1000;
    private static final long DEFAULT_INTERVAL = 10_000;
    private static final long DEFAULT_TIMEOUT = 5_000;
    private static final int DEFAULT_RETRIES = 3;

    static Definition of(CreateService request) {
        Optional<String> directory = Optional.ofNullable(request.cwd()).map(Definition::directory);
        List<String> argv = argv(request.argv());
        String[] owner = Optional.ofNullable(request.user()).map(Definition::owner).orElseGet(() -> new String[0]);
        OptionalInt port = request.port() == null ? OptionalInt.empty() : OptionalInt.of(within("port", request.port(), 1, 65535));
        return new Definition(
                name(request.name()),
                program(argv.getFirst(), directory),
                List.copyOf(argv.subList(1, argv.size())),
                Optional.ofNullable(request.description()).filter(text -> !text.isBlank()).map(text -> line("description", text)),
                directory,
                environment(request.env() == null ? Map.of() : request.env()),
                owner.length == 0 ? Optional.empty() : Optional.of(owner[0]),
                owner.length < 2 ? Optional.empty() : Optional.of(owner[1]),
                port,
                restart(request.restart()),
                request.maxRestarts() == null ? DEFAULT_RESTARTS : within("max_restarts", request.maxRestarts(), 1, MOST_RESTARTS),
                millis("backoff_ms", request.backoffMs(), DEFAULT_BACKOFF),
                Optional.ofNullable(request.health()).map(check -> health(check, port)),
                after(request.after() == null ? List.of() : request.after()));
    }

    static String name(String asked) {
        if (!NAME.matcher(asked).matches() || asked.endsWith(TYPE)) {
            throw Rules.invalid("name", shown(asked), NAME_TEXT);
        }
        return asked;
    }

    private static List<String> argv(List<String> asked) {
        if (asked.isEmpty() || asked.getFirst().isEmpty()) {
            throw Rules.invalid("argv", "[]", "a program and its arguments");
        }
        asked.forEach(argument -> encodable("argv", argument));
        if (asked.size() > MOST_WORDS || asked.stream().mapToInt(argument -> bytes(UnitText.word(argument)) + 1).sum() > MOST_LINE_BYTES - 256) {
            throw Rules.invalid("argv", asked.size() + " words", "at most " + MOST_WORDS + " in a line of " + MOST_LINE_BYTES + " bytes; a script in a file can be longer");
        }
        return asked;
    }

    /** Where no directory is given there is nothing that a relative path could begin at. */
    private static String program(String asked, Optional<String> directory) {
        if (PREFIXES.indexOf(asked.charAt(0)) >= 0) {
            throw Rules.invalid("argv", shown(asked), "a program that begins with none of " + PREFIXES + "; an absolute path always works");
        }
        if (asked.indexOf('/') <= 0) {
            return asked;
        }
        return directory.map(from -> (from.endsWith("/") ? from : from + "/") + asked)
                .orElseThrow(() -> Rules.invalid("argv", shown(asked), "the name of a program or an absolute path, unless cwd is given"));
    }

    private static String directory(String asked) {
        if (!asked.startsWith("/")) {
            throw Rules.invalid("cwd", shown(asked), "an absolute path");
        }
        return line("cwd", asked);
    }

    /** A user, and a group if one is named. */
    private static String[] owner(String asked) {
        String[] parts = asked.split(":", -1);
        boolean sane = parts.length <= 2;
        for (String part : parts) {
            sane &= USER.matcher(part).matches();
        }
        if (!sane) {
            throw Rules.invalid("user", shown(asked), "name, uid, name:group or uid:gid");
        }
        return parts;
    }

    private static Map<String, String> environment(Map<String, String> asked) {
        Map<String, String> checked = Rules.pairs("env", VARIABLE, asked);
        int all = 0;
        for (Map.Entry<String, String> pair : checked.entrySet()) {
            String whole = pair.getKey() + "=" + pair.getValue();
            encodable("env." + pair.getKey(), whole);
            all += bytes(UnitText.word(whole));
        }
        if (checked.size() > MOST_WORDS - 8 || all > MOST_LINE_BYTES) {
            throw Rules.invalid("env", checked.size() + " variables", "at most " + (MOST_WORDS - 8) + " of " + MOST_LINE_BYTES + " bytes together");
        }
        return checked;
    }

    private static Restart restart(@Nullable String asked) {
        return switch (asked == null ? "on-failure" : asked) {
            case "never" -> Restart.NEVER;
            case "on-failure" -> Restart.ON_FAILURE;
            case "always" -> Restart.ALWAYS;
            default -> throw Rules.invalid("restart", shown(String.valueOf(asked)), "never, on-failure or always");
        };
    }

    private static Health health(HealthCheck asked, OptionalInt port) {
        boolean tcp = Boolean.TRUE.equals(asked.tcp());
        String command = asked.command();
        String path = asked.path();
        if ((command == null ? 0 : 1) + (path == null ? 0 : 1) + (tcp ? 1 : 0) != 1) {
            throw Rules.invalid("health", "none or several of command, path and tcp", "one of them");
        }
        if (command == null && port.isEmpty()) {
            throw Rules.invalid("health", tcp ? "tcp" : "path", "a port beside it");
        }
        if (path != null && !path.startsWith("/")) {
            throw Rules.invalid("health.path", shown(path), "a path that begins with /");
        }
        Check check = command != null
                ? new Check.Command(shell(command))
                : path != null ? new Check.Path(word("health.path", path)) : new Check.Tcp();
        return new Health(
                check,
                millis("health.interval_ms", asked.intervalMs(), DEFAULT_INTERVAL),
                millis("health.timeout_ms", asked.timeoutMs(), DEFAULT_TIMEOUT),
                asked.retries() == null ? DEFAULT_RETRIES : within("health.retries", asked.retries(), 1, 100));
    }

    private static String shell(String asked) {
        if (asked.isBlank()) {
            throw Rules.invalid("health.command", "blank", "a line of shell");
        }
        encodable("health.command", asked);
        return asked;
    }

    private static List<String> after(List<String> asked) {
        if (asked.size() > MOST_AFTER) {
            throw Rules.invalid("after", asked.size() + " names", "at most " + MOST_AFTER);
        }
        for (String other : asked) {
            if (!OTHER.matcher(other).matches()) {
                throw Rules.invalid("after", shown(other), "names of services");
            }
        }
        return asked.stream().map(other -> other.endsWith(TYPE) ? other.substring(0, other.length() - TYPE.length()) : other).toList();
    }

    private static int within(String field, int asked, int least, int most) {
        if (asked < least || asked > most) {
            throw Rules.invalid(field, String.valueOf(asked), least + " to " + most);
        }
        return asked;
    }

    private static long millis(String field, @Nullable Long asked, long absent) {
        if (asked != null && (asked < 10 || asked > 86_400_000)) {
            throw Rules.invalid(field, String.valueOf(asked), "10 to 86400000");
        }
        return asked == null ? absent : asked;
    }

    /** What stands in a line as it is: no quotes protect it. */
    private static String line(String field, String asked) {
        boolean sane = asked.length() <= MOST_LINE && asked.equals(asked.strip()) && !asked.endsWith("\\") && asked.chars().noneMatch(Character::isISOControl);
        if (!sane) {
            throw Rules.invalid(field, shown(asked), "one line of at most " + MOST_LINE + " characters, without blanks at its ends or a backslash at its end");
        }
        encodable(field, asked);
        return asked;
    }

    private static String word(String field, String asked) {
        if (asked.chars().anyMatch(character -> character <= ' ')) {
            throw Rules.invalid(field, shown(asked), "no blanks in it");
        }
        return line(field, asked);
    }

    /** A file is text: what no text can hold would be read back as something else. */
    private static void encodable(String field, String asked) {
        boolean loneHalf = asked.codePoints().anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
        if (asked.indexOf('\0') >= 0 || loneHalf) {
            throw Rules.invalid(field, shown(asked), "text without NUL that UTF-8 can express");
        }
        if (bytes(asked) > MOST_WORD_BYTES) {
            throw Rules.invalid(field, bytes(asked) + " bytes", "at most " + MOST_WORD_BYTES + "; a script in a file can be longer");
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String shown(String text) {
        String start = text.length() > 80 ? text.substring(0, 80) + "..." : text;
        return start.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
