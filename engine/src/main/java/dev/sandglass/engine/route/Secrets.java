package dev.sandglass.engine.route;

import dev.sandglass.wire.Refusal;
import java.util.regex.Pattern;

/** Hashes and checks the secrets of routes. What is kept of one is a salt and a keyed hash. Immutable. */
final class Secrets {
    /** Nobody guesses one of these over a network that is slowed down. */
    private static final int SHORTEST = 16;
    private static final int LONGEST = 1024;
    private static final Pattern FORM = Pattern.compile("[!-~]+");

    private final KeyedHash hash;

    Secrets(KeyedHash hash) {
        this.hash = hash;
    }

    /** What is wrong with one is said without it. */
    static void require(String secret) {
        if (secret.length() < SHORTEST || secret.length() > LONGEST) {
            throw Refusal.of("secret", secret.length() + " characters", SHORTEST + " to " + LONGEST);
        }
        if (!FORM.matcher(secret).matches()) {
            throw Refusal.of("secret", "it cannot stand in a header", "visible characters of ASCII, no space");
        }
    }

    String kept(Route route, String secret) {
        String salt = KeyedHash.random();
        return salt + "." + hashed(route, salt, secret);
    }

    boolean matches(Route route, String kept, String presented) {
        int dot = kept.indexOf('.');
        return dot > 0 && FORM.matcher(presented).matches() && KeyedHash.same(kept.substring(dot + 1), hashed(route, kept.substring(0, dot), presented));
    }

    private String hashed(Route route, String salt, String secret) {
        return hash.of("secret", route.sandbox().text(), route.name(), salt, secret);
    }
}
