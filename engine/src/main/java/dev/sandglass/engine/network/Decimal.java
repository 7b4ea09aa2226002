package dev.sandglass.engine.network;

import java.util.OptionalInt;

/** Numbers that can be read in one way only: digits of ASCII, no sign, no zero in front. */
final class Decimal {
    private static final int LONGEST = 9;

    private Decimal() {}

    static OptionalInt parse(String text, int largest) {
        boolean digits = text.chars().allMatch(each -> each >= '0' && each <= '9');
        boolean zeroInFront = text.length() > 1 && text.startsWith("0");
        if (text.isEmpty() || text.length() > LONGEST || !digits || zeroInFront) {
            return OptionalInt.empty();
        }
        int number = Integer.parseInt(text);
        return number <= largest ? OptionalInt.of(number) : OptionalInt.empty();
    }
}
