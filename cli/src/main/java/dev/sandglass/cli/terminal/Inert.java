package dev.sandglass.cli.terminal;

/** Text from elsewhere made harmless: control characters, escape sequences and direction marks become visible. */
public final class Inert {
    private Inert() {}

    /** The text on one line, safe to print. */
    public static String text(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (dangerous(text.charAt(i))) {
                return escape(text);
            }
        }
        return text;
    }

    /** The text safe to print, its own line ends kept. */
    public static String lines(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        for (String line : text.split("\n", -1)) {
            safe.append(safe.isEmpty() ? "" : "\n").append(text(line));
        }
        return safe.toString();
    }

    /** JSON in which everything dangerous is escaped; only texts inside of it can hold such a thing. */
    public static String json(String json) {
        StringBuilder safe = new StringBuilder(json.length() + 16);
        for (int i = 0; i < json.length(); i++) {
            char character = json.charAt(i);
            if (dangerous(character)) {
                safe.append(String.format("\\u%04x", (int) character));
            } else {
                safe.append(character);
            }
        }
        return safe.toString();
    }

    private static String escape(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (!dangerous(character)) {
                safe.append(character);
            } else if (character < 0x100) {
                safe.append("\\x").append(Character.forDigit(character >> 4, 16)).append(Character.forDigit(character & 15, 16));
            } else {
                safe.append("\\u").append(Integer.toHexString(character));
            }
        }
        return safe.toString();
    }

    static boolean dangerous(char character) {
        return character < 0x20
                || (character >= 0x7f && character < 0xa0)
                || (character >= 0x200b && character <= 0x200f)
                || (character >= 0x2028 && character <= 0x202e)
                || (character >= 0x2060 && character <= 0x206f)
                || character == 0x061c
                || character == 0xfeff
                || (character >= 0xfff9 && character <= 0xfffb);
    }
}
