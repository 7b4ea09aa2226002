package dev.sandglass.engine.credential;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What is known of the services of models: how they take a key, and where they are. */
enum Preset {
    ANTHROPIC(Optional.of("x-api-key"), Optional.of("api.anthropic.com")),
    OPENAI(Optional.empty(), Optional.of("api.openai.com")),
    /** Any service that is called like most: where it is, its address tells. */
    GENERIC(Optional.empty(), Optional.empty());

    private final Optional<String> header;
    private final Optional<String> host;

    /** @param header that takes the key; without one it is a bearer's */
    Preset(Optional<String> header, Optional<String> host) {
        this.header = header;
        this.host = host;
    }

    static Preset named(String name) {
        return Arrays.stream(values())
                .filter(preset -> preset.text().equals(name))
                .findFirst()
                .orElseThrow(() -> Refusal.of("preset", name, "anthropic, openai or generic"));
    }

    Kind kind() {
        return header.<Kind>map(Kind.Header::new).orElseGet(Kind.Bearer::new);
    }

    Optional<String> host() {
        return host;
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
