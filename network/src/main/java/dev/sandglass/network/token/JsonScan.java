package dev.sandglass.network.token;

import java.math.BigDecimal;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Looks for the counts of a service in JSON that comes byte by byte, and for how much text is in it. It keeps where it is and no more, so it takes an object of any size; what is no JSON it takes
 * for JSON without counts.
 */
final class JsonScan {
    /** Counts stand in {@code usage}, or one object above it: as deep as that, places are told apart. */
    private static final int DEEPEST = 3;

    private static final int LONGEST_KEY = 40;
    private static final int LONGEST_NUMBER = 20;
    private static final Set<String> COUNTS = Set.of(
            "input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "prompt_tokens", "completion_tokens", "total_tokens");
    /** Where services put what a model says. */
    private static final Set<String> TEXTS = Set.of(
            "content", "text", "delta", "thinking", "reasoning", "reasoning_content", "partial_json", "arguments", "input", "refusal", "transcript");

    private final Tally tally;
    private final boolean[] isObject = new boolean[DEEPEST + 1];
    private final String[] keys = {"", "", "", ""};
    private final StringBuilder word = new StringBuilder();
    private final StringBuilder number = new StringBuilder();
    private String key = "";
    private int depth;
    private boolean inText;
    private boolean escaped;
    private boolean isValue;
    private long textBytes;

    JsonScan(Tally tally) {
        this.tally = tally;
    }

    /** Bytes of what a model says, in all objects. */
    long textBytes() {
        return textBytes;
    }

    /** Another object begins. */
    void reset() {
        endNumber();
        depth = 0;
        inText = false;
        escaped = false;
        isValue = false;
        key = "";
        word.setLength(0);
    }

    void take(byte next) {
        char letter = (char) (next & 0xff);
        if (inText) {
            takeText(letter);
        } else if (isPartOfNumber(letter)) {
            takeNumber(letter);
        } else {
            endNumber();
            takeMark(letter);
        }
    }

    private void takeText(char letter) {
        if (escaped) {
            escaped = false;
        } else if (letter == '"') {
            inText = false;
            isValue = false;
            return;
        } else if (letter == '\\') {
            escaped = true;
        }
        if (word.length() <= LONGEST_KEY) {
            word.append(letter);
        }
        if (isValue && TEXTS.contains(key)) {
            textBytes++;
        }
    }

    private void takeMark(char letter) {
        switch (letter) {
            case '"' -> {
                inText = true;
                word.setLength(0);
            }
            case ':' -> {
                key = word.toString();
                isValue = true;
                if (depth <= DEEPEST) {
                    keys[depth] = key;
                }
            }
            case '{', '[' -> {
                depth = Math.min(depth + 1, Integer.MAX_VALUE - 1);
                isValue = false;
                if (depth <= DEEPEST) {
                    isObject[depth] = letter == '{';
                    keys[depth] = "";
                }
            }
            case '}', ']' -> {
                depth = Math.max(0, depth - 1);
                isValue = false;
            }
            case ',' -> isValue = false;
            default -> {}
        }
    }

    private static boolean isPartOfNumber(char letter) {
        return (letter >= '0' && letter <= '9') || letter == '-' || letter == '+' || letter == '.' || letter == 'e' || letter == 'E';
    }

    private void takeNumber(char letter) {
        if (isValue && isCount() && number.length() <= LONGEST_NUMBER) {
            number.append(letter);
        }
    }

    /** Numbers have no end of their own. */
    private void endNumber() {
        if (!number.isEmpty()) {
            OptionalLong count = value(number.toString());
            if (count.isPresent()) {
                tally.note(key, count.getAsLong(), !keys[1].equals("message"));
            }
            number.setLength(0);
        }
    }

    /** {@code usage.COUNT}, {@code response.usage.COUNT}, and {@code message.usage.COUNT}, which is told at the beginning of a stream, before anything comes out. */
    private boolean isCount() {
        boolean plain = depth == 2 && keys[1].equals("usage");
        boolean inside = depth == DEEPEST && isObject[DEEPEST] && keys[2].equals("usage") && (keys[1].equals("message") || keys[1].equals("response"));
        return (plain || inside) && isObject[1] && isObject[2] && COUNTS.contains(key);
    }

    /** What is too long to be read is no count that anybody has. */
    private static OptionalLong value(String text) {
        try {
            return text.length() > LONGEST_NUMBER ? OptionalLong.empty() : OptionalLong.of(new BigDecimal(text).min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue());
        } catch (NumberFormatException noNumber) {
            return OptionalLong.empty();
        }
    }
}
