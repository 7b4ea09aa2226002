package dev.sandglass.engine.component;

import dev.sandglass.engine.life.Rules;
import dev.sandglass.wire.Component;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a component must be like. Touches nothing. */
public final class ComponentRules {
    /** The most characters of a script: it goes to the shell as one argument, and no kernel takes more than twice that. */
    public static final int LONGEST_SCRIPT = 60_000;

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_.-]{0,62}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");
    private static final int MOST = 64;
    private static final int LONGEST_VALUE = 4096;

    private ComponentRules() {}

    static Component checked(Component component) {
        String name = component.name();
        if (!NAME.matcher(name).matches()) {
            throw invalid("name: " + printable(name) + " (expected: 1 to 63 small letters, digits, '_', '.', '-')");
        }
        script(name + ".install", component.install());
        script(name + ".verify", component.verify());
        few(name + ".domains", component.domains());
        few(name + ".requires", component.requires());
        few(name + ".tags", component.tags());
        variables(name + ".variables", component.variables());
        Long timeout = component.timeout();
        if (timeout != null && (timeout < 1 || timeout > 86_400)) {
            throw invalid(name + ".timeout: " + timeout + " (expected: 1 to 86400 seconds)");
        }
        return component;
    }

    /** A script of bash that is not too long, and has no byte that ends it. */
    public static void script(String field, @Nullable String text) {
        if (text != null && (text.length() > LONGEST_SCRIPT || text.indexOf('\0') >= 0)) {
            throw invalid(field + ": " + text.length() + " characters (expected: at most " + LONGEST_SCRIPT + ", no NUL)");
        }
    }

    public static void few(String field, @Nullable List<String> texts) {
        List<String> all = Objects.requireNonNullElse(texts, List.of());
        if (all.size() > MOST || all.stream().anyMatch(text -> text.length() > LONGEST_VALUE)) {
            throw invalid(field + ": " + all.size() + " (expected: at most " + MOST + ", none too long)");
        }
    }

    public static void variables(String field, @Nullable Map<String, String> variables) {
        Map<String, String> all = Objects.requireNonNullElse(variables, Map.of());
        if (all.size() > MOST) {
            throw invalid(field + ": " + all.size() + " (expected: at most " + MOST + ")");
        }
        all.forEach((name, value) -> {
            if (!VARIABLE.matcher(name).matches() || value.length() > LONGEST_VALUE || value.indexOf('\0') >= 0) {
                throw invalid(field + ": " + printable(name) + " (expected: names like NODE_VERSION, values of at most " + LONGEST_VALUE + " characters)");
            }
        });
    }

    static String printable(String text) {
        return Rules.printable(text);
    }

    static SandglassException invalid(String what) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, what, "Correct the component.");
    }
}
