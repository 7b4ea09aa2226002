package dev.sandglass.server.http;

import java.util.Optional;
import java.util.function.Function;

/** Who may use the API: its owner by the token, and others by keys. Thread-safe. */
public final class Bearers {
    private static final String SCHEME = "Bearer ";

    private final Token token;
    private final Function<String, Optional<String>> keys;

    /** @param keys gives what a key is known by, if a text is one */
    public Bearers(Token token, Function<String, Optional<String>> keys) {
        this.token = token;
        this.keys = keys;
    }

    /** The owner alone. */
    public static Bearers ofOwner(Token token) {
        return new Bearers(token, _ -> Optional.empty());
    }

    /** Who has that token or key, if it is one. */
    public Optional<Bearer> find(String secret) {
        return token.matches(secret) ? Optional.of(Bearer.OWNER) : keys.apply(secret).map(key -> new Bearer(Optional.of(key)));
    }

    /** The same of an {@code Authorization} header. */
    public Optional<Bearer> ofHeader(String value) {
        return value.regionMatches(true, 0, SCHEME, 0, SCHEME.length()) ? find(value.substring(SCHEME.length()).strip()) : Optional.empty();
    }
}
