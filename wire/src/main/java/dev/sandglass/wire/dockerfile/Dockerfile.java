package dev.sandglass.wire.dockerfile;

import dev.sandglass.wire.CommandSettings;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.document.Nearest;
import dev.sandglass.wire.document.Place;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A Dockerfile of one stage. Immutable. */
public final class Dockerfile {
    /** The most characters of one. */
    public static final int LONGEST = 60_000;

    private static final Set<String> KNOWN = Set.of("FROM", "ARG", "RUN", "ENV", "WORKDIR", "USER", "COPY", "ADD", "EXPOSE", "LABEL", "CMD", "ENTRYPOINT", "SHELL");
    private static final Map<String, String> IMPOSSIBLE = Map.of(
            "HEALTHCHECK", "Say when it is ready in the recipe (ready), or give a service a health check.",
            "VOLUME", "Give sandboxes a volume when they are made: --volume NAME:/path.",
            "ONBUILD", "Write the instruction into the Dockerfile that begins with this one.",
            "STOPSIGNAL", "Leave it out: programs get TERM, then KILL.",
            "MAINTAINER", "Write LABEL maintainer=... instead.");

    /**
     * With what it begins.
     *
     * @param name of an image or of a template
     */
    public record Beginning(String name, Place place) {}

    private final List<Line> head;
    private final Line from;
    private final List<Line> body;

    private Dockerfile(List<Line> head, Line from, List<Line> body) {
        this.head = head;
        this.from = from;
        this.body = body;
    }

    /**
     * The Dockerfile of a text.
     *
     * @param label what errors call the text: the name of its file
     */
    public static Dockerfile read(String label, String text) {
        if (text.length() > LONGEST || text.indexOf('\0') >= 0) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, label + ": " + text.length() + " characters (expected: at most " + LONGEST + ", no NUL)", "Make it shorter.");
        }
        List<Line> lines = Lines.of(label, text);
        lines.forEach(Dockerfile::requireKnown);
        int first = 0;
        while (first < lines.size() && is(lines.get(first), "ARG")) {
            first++;
        }
        if (first == lines.size()) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, new Place(label, 1, 1) + ": FROM is missing", "Begin with FROM and the name of an image or of a template.");
        }
        if (!is(lines.get(first), "FROM")) {
            throw lines.get(first).refused(0, lines.get(first).name() + " stands before FROM (expected: FROM, or ARG before it)");
        }
        List<Line> body = lines.subList(first + 1, lines.size());
        body.stream().filter(line -> is(line, "FROM")).findFirst().ifPresent(second -> {
            throw second.refused(0, "a second FROM: builds of several stages are not possible here", "Make a template of the first stage and begin with it, or remove in a RUN what the result is not to have.");
        });
        return new Dockerfile(List.copyOf(lines.subList(0, first)), lines.get(first), List.copyOf(body));
    }

    static boolean is(Line line, String name) {
        return line.name().equalsIgnoreCase(name);
    }

    private static void requireKnown(Line line) {
        String name = line.name().toUpperCase(Locale.ROOT);
        String instead = IMPOSSIBLE.get(name);
        if (instead != null) {
            throw line.refused(0, name + " is not possible here", instead);
        }
        if (!KNOWN.contains(name)) {
            throw line.refused(0, line.name() + " is no known instruction" + Nearest.to(name, KNOWN));
        }
        if (line.rest() >= line.text().length()) {
            throw line.refused(0, name + " says nothing");
        }
    }

    /** @param values of its arguments, beside those that it gives them itself */
    public Beginning beginning(Map<String, String> values) {
        Words meaning = new Words(from, new Evaluation(Map.of(), values).arguments(head));
        List<Words.Word> words = Words.split(from, from.rest());
        if (words.get(0).raw().startsWith("--")) {
            throw from.refused(words.get(0).at(), words.get(0).raw().split("=", 2)[0] + " is not possible here", "Leave it out: images are those for this machine.");
        }
        boolean named = words.size() == 3 && words.get(1).raw().equalsIgnoreCase("AS");
        if (words.size() != 1 && !named) {
            throw from.refused(words.get(1).at(), words.get(1).raw() + " (expected: FROM NAME, or FROM NAME AS STAGE)");
        }
        String name = meaning.meant(words.get(0));
        if (name.isEmpty() || name.equals("scratch")) {
            throw from.refused(words.get(0).at(), (name.isEmpty() ? "no name" : "scratch, in which there is nothing") + " (expected: an image or a template)", "FROM sandglass begins with the base image.");
        }
        return new Beginning(name, from.place(words.get(0).at()));
    }

    /** The names of the arguments that it takes. */
    public Set<String> arguments() {
        Set<String> names = new LinkedHashSet<>();
        List.of(head, body).forEach(lines -> lines.stream().filter(line -> is(line, "ARG")).forEach(line -> Evaluation.pairs(line).keySet().forEach(names::add)));
        return names;
    }

    /** Whether an instruction may copy a file, named relative to where the Dockerfile is. */
    public boolean takes(String file) {
        return body.stream().filter(line -> is(line, "COPY") || is(line, "ADD")).flatMap(line -> new CopyText(line).possible().stream()).anyMatch(source -> source.match(file).isPresent());
    }

    /**
     * What it comes to.
     *
     * @param base what commands get of what it begins with
     * @param values of its arguments, beside those that it gives them itself
     */
    public DockerPlan plan(CommandSettings base, Map<String, String> values) {
        Map<String, String> mine = new LinkedHashMap<>(values);
        mine.keySet().retainAll(arguments());
        Evaluation evaluation = new Evaluation(Optional.ofNullable(base.env()).orElse(Map.of()), mine);
        return evaluation.plan(base, head, body);
    }
}
