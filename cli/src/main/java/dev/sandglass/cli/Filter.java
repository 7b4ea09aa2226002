package dev.sandglass.cli;

import dev.sandglass.wire.Sandbox;
import java.util.List;
import java.util.function.Predicate;

/** Which sandboxes are meant by {@code --filter}: all conditions must hold. */
final class Filter {
    private static final String EXPECTED = "label=NAME, label=NAME=VALUE, state=STATE, runtime=RUNTIME or name=PART";

    private static final List<String> STATES =
            List.of("creating", "running", "stopping", "stopped", "starting", "failed", "paused", "resuming", "destroying", "destroyed");

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

    List<Sandbox> of(List<Sandbox> sandboxes) {
        Predicate<Sandbox> all = sandbox -> true;
        for (String condition : conditions.all()) {
            all = all.and(predicate(condition));
        }
        return sandboxes.stream().filter(all).toList();
    }

    private static Predicate<Sandbox> predicate(String condition) {
        int equals = condition.indexOf('=');
        String key = equals < 0 ? "" : condition.substring(0, equals);
        String value = condition.substring(equals + 1);
        return switch (key) {
            case "label" -> label(value);
            case "state" -> state(value);
            case "runtime" -> sandbox -> sandbox.runtime().equals(value);
            case "name" -> sandbox -> sandbox.name().contains(value);
            default -> throw new UsageException("filter: " + condition + " (expected: " + EXPECTED + ")");
        };
    }

    private static Predicate<Sandbox> state(String value) {
        if (!STATES.contains(value)) {
            throw new UsageException("filter: state=" + value + " (expected: one of " + String.join(", ", STATES) + ")");
        }
        return sandbox -> sandbox.state().equals(value);
    }

    private static Predicate<Sandbox> label(String text) {
        int equals = text.indexOf('=');
        return equals < 0
                ? sandbox -> sandbox.labels().containsKey(text)
                : sandbox -> text.substring(equals + 1).equals(sandbox.labels().get(text.substring(0, equals)));
    }
}
