package dev.sandglass.wire.dockerfile;

import dev.sandglass.wire.CommandSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** Goes through the instructions of a Dockerfile in their order, and knows what counts at each. Used by one thread, once. */
final class Evaluation {
    private static final int MOST_VARIABLES = 1000;
    private static final int MOST_CHARACTERS = 1 << 18;
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,254}");
    private static final Pattern USER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,31})?");
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}(-[0-9]{1,5})?(/(tcp|udp))?");

    private final Map<String, String> base;
    private final Map<String, String> values;
    private final Allowance allowance = new Allowance();
    private final Map<String, String> head = new LinkedHashMap<>();
    private final Map<String, String> arguments = new LinkedHashMap<>();
    private final Map<String, String> env = new LinkedHashMap<>();
    private final Map<String, String> labels = new LinkedHashMap<>();
    private final List<String> ports = new ArrayList<>();
    private final List<DockerStep> steps = new ArrayList<>();
    private List<String> shell = List.of("/bin/sh", "-c");
    private String user = "root";
    private String workdir = "/";
    private List<String> entrypoint = List.of();
    private List<String> cmd = List.of();
    private boolean saysCmd;
    private int characters;

    /**
     * @param base the variables of what it begins with
     * @param values of arguments
     */
    Evaluation(Map<String, String> base, Map<String, String> values) {
        this.base = base;
        this.values = values;
    }

    /** What the arguments before FROM come to. */
    Map<String, String> arguments(List<Line> lines) {
        for (Line line : lines) {
            pairs(line).forEach((name, word) -> {
                String value = values.containsKey(name) ? values.get(name) : word.map(each -> new Words(line, head, allowance).meant(each)).orElse(null);
                if (value != null) {
                    set(head, line, name, value);
                }
            });
        }
        return head;
    }

    DockerPlan plan(CommandSettings from, List<Line> before, List<Line> lines) {
        user = Objects.requireNonNullElse(from.user(), user);
        workdir = Objects.requireNonNullElse(from.workdir(), workdir);
        entrypoint = Objects.requireNonNullElse(from.entrypoint(), entrypoint);
        cmd = Objects.requireNonNullElse(from.cmd(), cmd);
        arguments(before);
        lines.forEach(this::instruction);
        Map<String, String> all = new LinkedHashMap<>(base);
        all.putAll(env);
        return new DockerPlan(List.copyOf(steps), new CommandSettings(user, workdir, all, entrypoint, cmd), List.copyOf(ports), labels);
    }

    private void instruction(Line line) {
        Words meaning = new Words(line, visible(), allowance);
        switch (line.name().toUpperCase(Locale.ROOT)) {
            case "ARG" -> argument(line, meaning);
            case "ENV" -> pairs(line).forEach((name, word) -> set(env, line, name, meaning.meant(word.orElseThrow(() -> line.refused(line.rest(), name + " has no value (expected: NAME=VALUE)")))));
            case "LABEL" -> labels(line, meaning);
            case "WORKDIR" -> {
                workdir = absolute(line, meaning.meant(new Words.Word(line.text().substring(line.rest()), line.rest())));
                steps.add(new DockerStep.Directory(line.shown(), workdir));
            }
            case "USER" -> user = one(line, meaning, USER, "a name or number, or with a group name:group");
            case "EXPOSE" -> Words.split(line, line.rest()).forEach(word -> ports.add(port(line, word, meaning)));
            case "RUN" -> steps.add(new DockerStep.Run(line.shown(), command(line), variables(), user, workdir));
            case "COPY", "ADD" -> steps.add(new CopyText(line).step(meaning, path -> absolute(line, path)));
            case "SHELL" -> shell = JsonWords.texts(line, line.rest()).filter(words -> !words.isEmpty()).orElseThrow(() -> line.refused(line.rest(), "SHELL (expected: a list such as [\"/bin/bash\", \"-c\"])"));
            case "CMD" -> {
                cmd = command(line);
                saysCmd = true;
            }
            case "ENTRYPOINT" -> {
                entrypoint = command(line);
                cmd = saysCmd ? cmd : List.of(); // that of what it begins with was meant for another
            }
            default -> throw line.refused(0, line.name() + " cannot stand here");
        }
    }

    /** Those that words of the Dockerfile can name: its own count more than arguments. */
    private Map<String, String> visible() {
        Map<String, String> all = new LinkedHashMap<>(arguments);
        all.putAll(base);
        all.putAll(env);
        return all;
    }

    /** Those that a command gets beside the ones of what it begins with. */
    private Map<String, String> variables() {
        Map<String, String> all = new LinkedHashMap<>(arguments);
        all.keySet().removeAll(base.keySet());
        all.putAll(env);
        return all;
    }

    /** Each step has those that count there, so they are bounded together. */
    private void set(Map<String, String> of, Line line, String name, String value) {
        String before = of.put(name, value);
        characters += value.length() + (before == null ? name.length() : -before.length());
        if (characters > MOST_CHARACTERS || head.size() + arguments.size() + env.size() > MOST_VARIABLES) {
            throw line.refused(line.rest(), name + ": more than " + MOST_VARIABLES + " variables and arguments, or more than " + MOST_CHARACTERS + " characters of them together", "Copy a file that has them.");
        }
    }

    private void argument(Line line, Words meaning) {
        pairs(line).forEach((name, word) -> {
            String value = values.containsKey(name) ? values.get(name) : word.map(meaning::meant).orElse(head.get(name));
            if (value != null) {
                set(arguments, line, name, value);
            }
        });
    }

    /** Names with values; one without is alone. Also {@code NAME the rest}, as people once wrote it. */
    static Map<String, Optional<Words.Word>> pairs(Line line) {
        List<Words.Word> words = Words.split(line, line.rest());
        Map<String, Optional<Words.Word>> pairs = new LinkedHashMap<>();
        boolean old = !Dockerfile.is(line, "ARG") && !words.get(0).raw().contains("=");
        if (old) {
            if (words.size() < 2) {
                throw line.refused(words.get(0).at(), words.get(0).raw() + " (expected: NAME=VALUE)");
            }
            int at = words.get(1).at();
            pairs.put(name(line, words.get(0).raw(), words.get(0).at()), Optional.of(new Words.Word(line.text().substring(at), at)));
            return pairs;
        }
        for (Words.Word word : words) {
            int equals = word.raw().indexOf('=');
            String name = name(line, equals < 0 ? word.raw() : word.raw().substring(0, equals), word.at());
            if (equals < 0 && !Dockerfile.is(line, "ARG")) {
                throw line.refused(word.at(), word.raw() + " (expected: NAME=VALUE)");
            }
            pairs.put(name, equals < 0 ? Optional.empty() : Optional.of(new Words.Word(word.raw().substring(equals + 1), word.at() + equals + 1)));
        }
        return pairs;
    }

    private static String name(Line line, String name, int at) {
        if (!Dockerfile.is(line, "LABEL") && !VARIABLE.matcher(name).matches()) {
            throw line.refused(at, name + " is no name of a variable (expected: letters, digits and '_')");
        }
        return name;
    }

    private void labels(Line line, Words meaning) {
        pairs(line).forEach((name, word) -> labels.put(meaning.meant(new Words.Word(name, line.rest())), word.map(meaning::meant).orElse("")));
    }

    private static String one(Line line, Words meaning, Pattern pattern, String expected) {
        String value = meaning.meant(new Words.Word(line.text().substring(line.rest()), line.rest())).strip();
        if (!pattern.matcher(value).matches()) {
            throw line.refused(line.rest(), line.name() + " " + value + " (expected: " + expected + ")");
        }
        return value;
    }

    private static String port(Line line, Words.Word word, Words meaning) {
        String value = meaning.meant(word).toLowerCase(Locale.ROOT);
        if (!PORT.matcher(value).matches()) {
            throw line.refused(word.at(), "EXPOSE " + value + " (expected: a port such as 8080 or 53/udp)");
        }
        return value;
    }

    private String absolute(Line line, String path) {
        if (path.isEmpty()) {
            throw line.refused(line.rest(), "the path is empty");
        }
        return Path.of(workdir).resolve(path).normalize().toString();
    }

    /** A list is a program with its arguments, anything else a line for the shell. */
    private List<String> command(Line line) {
        int at = line.rest();
        if (line.text().startsWith("--", at)) {
            String flag = Words.split(line, at).get(0).raw().split("=", 2)[0];
            throw line.refused(at, flag + " is not possible here", "Leave it out: each RUN that nothing changed is taken from an earlier build.");
        }
        Optional<List<String>> words = JsonWords.texts(line, at);
        if (words.isPresent()) {
            if (words.get().isEmpty() && Dockerfile.is(line, "RUN")) {
                throw line.refused(at, "RUN [] (expected: a program)");
            }
            return words.get();
        }
        List<String> all = new ArrayList<>(shell);
        all.add(script(line, at));
        return List.copyOf(all);
    }

    /** The line with what belongs to it; lines below that are all there is are the script. */
    private static String script(Line line, int at) {
        String text = line.text().substring(at);
        if (line.heredocs().isEmpty()) {
            return text;
        }
        if (Lines.isHeredoc(text)) {
            String script = line.heredocs().get(0).content();
            if (script.startsWith("#!")) {
                throw line.refused(at, "a script of another program", "Name the program: RUN python3 " + text.strip() + ".");
            }
            return script;
        }
        StringBuilder script = new StringBuilder(text).append('\n');
        line.heredocs().forEach(below -> script.append(below.lines()).append(below.name()).append('\n'));
        return script.toString();
    }
}
