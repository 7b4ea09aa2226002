package dev.sandglass.server.e2b;

import dev.sandglass.engine.build.Builds;
import dev.sandglass.engine.build.RunningBuild;
import dev.sandglass.server.e2b.json.BuildState;
import dev.sandglass.server.e2b.json.LogEntry;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildOutput;
import dev.sandglass.wire.BuildStep;
import dev.sandglass.wire.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How far builds are, with what they printed line by line: who asks says how many lines he has seen, so each keeps its number. Thread-safe. */
final class BuildProgress {
    private static final int MOST_BUILDS = 32;
    private static final int MOST_LINES = 20_000;
    private static final int LONGEST_LINE = 4000;
    private static final Pattern NUMBER = Pattern.compile("([1-9][0-9]*): .*", Pattern.DOTALL);
    private static final String INFO = "info";

    private final Builds builds;
    private final Map<String, Journal> journals = new LinkedHashMap<>();

    /** What was told of one build so far. */
    private static final class Journal {
        private final List<LogEntry> lines = new ArrayList<>();
        private final Map<String, String> steps = new HashMap<>();
        private final StringBuilder unfinished = new StringBuilder();
        private @Nullable String unfinishedStep;
        private long position;
        private boolean whole;
    }

    BuildProgress(Builds builds) {
        this.builds = builds;
    }

    static BuildState waiting(String template, String build) {
        return new BuildState(template, build, "waiting", List.of(), List.of(), null);
    }

    /** Something that whoever follows a build should know. */
    synchronized void note(String id, String text) {
        add(journal(id), INFO, text, null);
    }

    synchronized BuildState of(String template, String id, int offset, int limit) throws InterruptedException {
        Build build = builds.get(id);
        Journal journal = journal(id);
        take(journal, builds.await(id, Long.MAX_VALUE - 1, journal.position, Duration.ofMillis(1)));
        List<LogEntry> all = journal.lines;
        List<LogEntry> page = List.copyOf(all.subList(Math.min(offset, all.size()), Math.min(all.size(), Math.min(offset, all.size()) + limit)));
        Problem problem = build.error();
        String status = build.state().equals("running") ? "building" : problem == null ? "ready" : "error";
        return new BuildState(template, id, status, page, page.stream().map(LogEntry::message).toList(), problem == null ? null : reason(build, problem));
    }

    private Journal journal(String id) {
        Journal journal = journals.computeIfAbsent(id, _ -> new Journal());
        journals.keySet().stream().filter(other -> !other.equals(id)).limit(Math.max(0, journals.size() - MOST_BUILDS)).toList().forEach(journals::remove);
        return journal;
    }

    private static void take(Journal journal, RunningBuild.View view) {
        if (journal.whole) {
            return;
        }
        List<BuildStep> steps = view.build().steps();
        for (BuildOutput piece : view.output()) {
            begin(journal, steps, piece.step());
            if (!piece.step().equals(journal.unfinishedStep)) {
                finish(journal);
            }
            journal.unfinishedStep = piece.step();
            journal.unfinished.append(piece.text());
            for (int end = journal.unfinished.indexOf("\n"); end >= 0; end = journal.unfinished.indexOf("\n")) {
                add(journal, INFO, journal.unfinished.substring(0, end), number(piece.step()));
                journal.unfinished.delete(0, end + 1);
            }
        }
        journal.position = view.position();
        steps.stream().filter(step -> !step.state().equals("waiting") && !step.state().equals("skipped")).forEach(step -> begin(journal, steps, step.name()));
        if (view.build().endedAt() != null) {
            finish(journal);
            Optional.ofNullable(view.build().error()).ifPresent(problem -> add(journal, "error", problem.message(), null));
            journal.whole = true;
        }
    }

    private static void begin(Journal journal, List<BuildStep> steps, String name) {
        steps.stream().filter(step -> step.name().equals(name) && journal.steps.putIfAbsent(name, step.state()) == null).findFirst().ifPresent(step -> {
            finish(journal);
            add(journal, INFO, "[" + (steps.indexOf(step) + 1) + "/" + steps.size() + "] " + (step.state().equals("cached") ? "CACHED " : "") + name, number(name));
        });
    }

    private static void finish(Journal journal) {
        if (!journal.unfinished.isEmpty()) {
            add(journal, INFO, journal.unfinished.toString(), number(Objects.requireNonNullElse(journal.unfinishedStep, "")));
            journal.unfinished.setLength(0);
        }
    }

    private static void add(Journal journal, String level, String message, @Nullable String step) {
        if (journal.lines.size() < MOST_LINES) {
            String cut = message.length() > LONGEST_LINE ? message.substring(0, LONGEST_LINE) + "..." : message;
            journal.lines.add(new LogEntry(Instant.now().truncatedTo(ChronoUnit.MILLIS), level, cut.stripTrailing(), step, null));
        }
    }

    /** The number that its client knows a step by. */
    private static @Nullable String number(String step) {
        Matcher parts = NUMBER.matcher(step);
        return parts.matches() ? parts.group(1) : null;
    }

    private static BuildState.Reason reason(Build build, Problem problem) {
        String failed = build.steps().stream().filter(step -> step.state().equals("failed")).findFirst().map(BuildStep::name).orElse("base");
        String number = number(failed);
        String step = number != null ? number : failed.equals("base") || failed.startsWith("0:") ? "base" : "finalize";
        return new BuildState.Reason(problem.message(), step, List.of());
    }
}
