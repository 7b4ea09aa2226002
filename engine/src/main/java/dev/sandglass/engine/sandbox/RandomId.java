package dev.sandglass.engine.sandbox;

import java.security.SecureRandom;

/** Random ids that nobody can guess. */
final class RandomId {
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final int LENGTH = 12;
    private static final SecureRandom RANDOM = new SecureRandom();

    private RandomId() {}

    static String with(String prefix) {
        StringBuilder text = new StringBuilder(prefix);
        for (int i = 0; i < LENGTH; i++) {
            text.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
        }
        return text.toString();
    }
}
