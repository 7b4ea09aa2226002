package dev.sandglass.wire.document;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** The known word that somebody may have meant. */
public final class Nearest {
    private static final int LONGEST = 64;

    private Nearest() {}

    /** The nearest word if it is near, to be put behind a message; else all of them. */
    public static String to(String word, Collection<String> known) {
        Optional<String> near = find(word, known);
        return near.map(each -> " (expected: " + each + "?)").orElseGet(() -> " (expected: one of " + String.join(", ", new TreeSet<>(known)) + ")");
    }

    /** The nearest word, if one is near. */
    public static Optional<String> find(String word, Collection<String> known) {
        if (word.length() > LONGEST) {
            return Optional.empty();
        }
        return known.stream()
                .filter(each -> distance(word, each) <= Math.max(1, Math.min(word.length(), each.length()) / 3) || (word.length() > 2 && each.startsWith(word)))
                .min(Comparator.<String>comparingInt(each -> distance(word, each)).thenComparing(Comparator.naturalOrder()));
    }

    /** How many letters must be put in, taken out, replaced or swapped with the next to make one of the other. */
    private static int distance(String one, String other) {
        int[] earlier = new int[0];
        int[] before = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= one.length(); i++) {
            int[] now = new int[other.length() + 1];
            now[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(replaced, 1 + Math.min(before[j], now[j - 1]));
                if (i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1)) {
                    now[j] = Math.min(now[j], earlier[j - 2] + 1);
                }
            }
            earlier = before;
            before = now;
        }
        return before[other.length()];
    }
}
