package dev.sandglass.engine.credential;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What is known of the services of models: how they take a key, and where they are. */
enum Preset {
    ANTHROPIC(new Kind.Header("x-api-key"), Optional.of("api.anthropic.com")),
    OPENAI(new Kind.Bearer(), Optional.of("api.openai.com")),
    /** Any service that is called like most: where it is, its address tells. */
    GENERIC(new Kind.Bearer(), Optional.empty());

    private final Kind kind;
    private final Optional<String> host;

    Preset(Kind kind, Optional<String> host) {
        this.kind = kind;
        this.host = host;
    }

    static Preset named(String name) {
        return Arrays.stream(values())
                .filter(preset -> preset.text().equals(name))
                .findFirst()
                .orElseThrow(() -> Refusal.of("preset", name, "anthropic, openai or generic"));
    }

    Kind kind() {
        return kind;
    }

    Optional<String> host() {
        return host;
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
