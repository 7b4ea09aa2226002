package dev.sandglass.cli;

import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Which sandboxes, or snapshots, are meant by {@code --filter}: all conditions must hold. */
final class Filter {
    private static final String EXPECTED = "label=NAME, label=NAME=VALUE, state=STATE, runtime=RUNTIME or name=PART";

    private static final List<String> STATES =
            List.of("creating", "running", "stopping", "stopped", "starting", "failed", "paused", "resuming", "destroying", "destroyed");

    private static final List<String> SNAPSHOT_STATES = List.of("creating", "ready", "damaged");

    /** What conditions are about. */
    private record Subject(String name, String state, String runtime, Map<String, String> labels) {}

    private final Syntax.Values conditions;

    Filter(Syntax syntax) {
        conditions = syntax.values("CONDITION", EXPECTED + "; may be repeated, all must hold.", "-f", "--filter");
    }

    private Filter(Syntax.Values conditions) {
        this.conditions = conditions;
    }

    /** Without the short name, where that means something else. */
    static Filter withoutShortName(Syntax syntax) {
        return new Filter(syntax.values("CONDITION", EXPECTED + "; may be repeated, all must hold.", "--filter"));
    }

    boolean isSet() {
        return !conditions.all().isEmpty();
    }

    /** @param sandboxes asked for when the conditions make sense */
    List<Sandbox> of(Supplier<List<Sandbox>> sandboxes) {
        Predicate<Subject> fits = predicate(STATES);
        return sandboxes.get().stream().filter(one -> fits.test(new Subject(one.name(), one.state(), one.runtime(), one.labels()))).toList();
    }

    /** @param snapshots asked for when the conditions make sense */
    List<Snapshot> ofSnapshots(Supplier<List<Snapshot>> snapshots) {
        Predicate<Subject> fits = predicate(SNAPSHOT_STATES);
        return snapshots.get().stream()
                .filter(one -> fits.test(new Subject(Objects.requireNonNullElse(one.name(), ""), one.state(), one.runtime(), one.labels())))
                .toList();
    }

    private Predicate<Subject> predicate(List<String> states) {
        Predicate<Subject> all = _ -> true;
        for (String condition : conditions.all()) {
            all = all.and(predicate(condition, states));
        }
        return all;
    }

    private static Predicate<Subject> predicate(String condition, List<String> states) {
        int equals = condition.indexOf('=');
        String key = equals < 0 ? "" : condition.substring(0, equals);
        String value = condition.substring(equals + 1);
        return switch (key) {
            case "label" -> label(value);
            case "state" -> state(value, states);
            case "runtime" -> one -> one.runtime().equals(value);
            case "name" -> one -> one.name().contains(value);
            default -> throw new UsageException("filter: " + condition + " (expected: " + EXPECTED + ")");
        };
    }

    private static Predicate<Subject> state(String value, List<String> states) {
        if (!states.contains(value)) {
            throw new UsageException("filter: state=" + value + " (expected: one of " + String.join(", ", states) + ")");
        }
        return one -> one.state().equals(value);
    }

    private static Predicate<Subject> label(String text) {
        int equals = text.indexOf('=');
        return equals < 0
                ? one -> one.labels().containsKey(text)
                : one -> text.substring(equals + 1).equals(one.labels().get(text.substring(0, equals)));
    }
}
