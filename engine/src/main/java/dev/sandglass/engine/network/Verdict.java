package dev.sandglass.engine.network;

import java.util.Locale;

/** What a rule says. */
public enum Verdict {
    ALLOW,
    DENY;

    public static Verdict parse(String text) {
        return parse(Word.of("verdict", text));
    }

    static Verdict parse(Word written) {
        for (Verdict verdict : values()) {
            if (verdict.toString().equals(written.text())) {
                return verdict;
            }
        }
        throw written.refused("verdict", "allow or deny");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
