package dev.sandglass.engine.life;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Random names that people can say: an adjective and an animal. */
final class Names {
    private static final int WITHOUT_NUMBER = 8;
    private static final int ATTEMPTS = 16;
    private static final List<String> ADJECTIVES = words("adjectives.txt");
    private static final List<String> ANIMALS = words("animals.txt");

    private Names() {}

    /** Makes something with the name that was asked for, or, if there is none, with random ones until one is not taken. */
    static <T> T with(@Nullable String asked, Function<String, T> make) {
        if (asked != null) {
            return make.apply(asked);
        }
        for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
            try {
                return make.apply(random(attempt));
            } catch (SandglassException refusal) {
                if (refusal.code() != ErrorCode.NAME_TAKEN) {
                    throw refusal;
                }
            }
        }
        return make.apply(random(ATTEMPTS));
    }

    /** The later attempts have a number: the words alone seem to be used up. */
    private static String random(int attempt) {
        String words = oneOf(ADJECTIVES) + "-" + oneOf(ANIMALS);
        return attempt <= WITHOUT_NUMBER ? words : words + "-" + ThreadLocalRandom.current().nextInt(1000, 1_000_000);
    }

    private static String oneOf(List<String> words) {
        return words.get(ThreadLocalRandom.current().nextInt(words.size()));
    }

    private static List<String> words(String resource) {
        try (InputStream in = Names.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("Not in the program: " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** A name as a host name: lower case, hyphens for what a host name cannot hold. */
    static String hostname(String name) {
        StringBuilder label = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char letter = name.charAt(i);
            boolean fits = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
            boolean upper = letter >= 'A' && letter <= 'Z';
            label.append(fits ? letter : upper ? (char) (letter + 32) : '-');
        }
        return label.toString().replaceAll("-+$", "");
    }
}
