package dev.sandglass.bench.report;

import java.util.Locale;

/** What a median is to be at most, or a speed at least. */
public sealed interface Goal {
    /** So many times that of the raw engine of the same family. */
    record Times(double most) implements Goal {}

    /** So many times that of another contender, whatever its family. */
    record TimesOf(double most, String contender) implements Goal {}

    /** At least such a part of the bytes in a second of another contender. */
    record Throughput(double least, String contender) implements Goal {}

    /** So many milliseconds, where nothing else uses the machine. */
    record Millis(double most) implements Goal {}

    /** As SPECIFICATION.md has it. */
    default String text() {
        return switch (this) {
            case Times(double most) -> number(most) + "x";
            case TimesOf(double most, String contender) -> number(most) + "x of " + contender;
            case Throughput(double least, String contender) -> "at least " + number(least) + "x the throughput of " + contender;
            case Millis(double most) -> number(most) + " ms on a quiet machine";
        };
    }

    /** Without the fraction that whole numbers do not have. */
    static String number(double value) {
        return value == Math.rint(value) ? String.format(Locale.ROOT, "%.0f", value) : Double.toString(value);
    }
}
