package dev.sandglass.engine.network;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;

/**
 * A part of what somebody wrote, from one index to before another, that knows where it stands: what is wrong with it is said with the place.
 *
 * @param source what the whole is called in an error
 */
record Word(String source, String whole, int from, int to) {
    private static final int LONGEST_SHOWN = 80;

    static Word of(String source, String whole) {
        return new Word(source, whole, 0, whole.length());
    }

    String text() {
        return whole.substring(from, to);
    }

    /** From an index of this word to its end. */
    Word after(int start) {
        return new Word(source, whole, from + start, to);
    }

    Word before(int end) {
        return new Word(source, whole, from, from + end);
    }

    /** The parts between separators, empty ones too. */
    List<Word> split(char separator) {
        List<Word> parts = new ArrayList<>();
        int start = from;
        for (int i = from; i < to; i++) {
            if (whole.charAt(i) == separator) {
                parts.add(new Word(source, whole, start, i));
                start = i + 1;
            }
        }
        parts.add(new Word(source, whole, start, to));
        return List.copyOf(parts);
    }

    SandglassException refused(String what, String expected) {
        boolean all = from == 0 && to == whole.length();
        String place = all ? "" : ", at character " + (from + 1) + " of " + source + ": " + printable(whole);
        String value = from == to ? "nothing" : printable(text());
        return new SandglassException(
                ErrorCode.INVALID_REQUEST, what + ": " + value + " (expected: " + expected + ")" + place, "Correct the value and try again; `allow api.example.org:443` is a rule.");
    }

    private static String printable(String text) {
        String start = text.length() > LONGEST_SHOWN ? text.substring(0, LONGEST_SHOWN) + "..." : text;
        return start.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
