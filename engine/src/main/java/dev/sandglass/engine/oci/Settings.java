package dev.sandglass.engine.oci;

import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.oci.ConfigDocument;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the configuration of an image says of commands, in the words of sandboxes; what cannot be said so is left out, and told. */
record Settings(CommandDefaults commands, Map<String, String> labels, List<String> warnings) {
    private static final int MOST_LABELS = 256;
    private static final int LONGEST_LABEL = 4096;

    static Settings of(ConfigDocument document) {
        ConfigDocument.@Nullable Settings told = document.config();
        if (told == null) {
            return new Settings(CommandDefaults.NONE, Map.of(), List.of());
        }
        List<String> warnings = new ArrayList<>();
        CommandDefaults commands = new CommandDefaults(
                text(told.user()),
                text(told.workingDir()),
                environment(orEmpty(told.env()), warnings),
                orEmpty(told.entrypoint()),
                orEmpty(told.cmd()));
        try {
            return new Settings(Rules.checked(commands), labels(told.labels()), List.copyOf(warnings));
        } catch (SandglassException unfit) {
            throw Refusal.of("its configuration says " + unfit.what());
        }
    }

    private static Map<String, String> environment(List<String> pairs, List<String> warnings) {
        Map<String, String> env = new LinkedHashMap<>();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            if (equals > 0 && Rules.isVariable(name)) {
                env.put(name, pair.substring(equals + 1));
            } else {
                warnings.add("env: " + Refusal.shown(name) + " is left out (expected: letters, digits and '_')");
            }
        }
        return env;
    }

    private static Map<String, String> labels(@Nullable Map<String, String> told) {
        Map<String, String> labels = new LinkedHashMap<>();
        Objects.requireNonNullElse(told, Map.<String, String>of()).entrySet().stream()
                .filter(label -> label.getKey().length() + label.getValue().length() <= LONGEST_LABEL)
                .limit(MOST_LABELS)
                .forEach(label -> labels.put(label.getKey(), label.getValue()));
        return labels;
    }

    private static Optional<String> text(@Nullable String told) {
        return Optional.ofNullable(told).filter(text -> !text.isEmpty());
    }

    private static List<String> orEmpty(@Nullable List<String> told) {
        return told == null ? List.of() : told;
    }
}
