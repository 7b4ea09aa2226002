package dev.sandglass.wire;

/** What to throw about a field of a request. Secrets are no fields that may be shown. */
public final class Refusal {
    private static final int LONGEST_SHOWN = 80;

    private Refusal() {}

    public static SandglassException of(String field, String shown, String expected) {
        String start = shown.length() > LONGEST_SHOWN ? shown.substring(0, LONGEST_SHOWN) + "..." : shown;
        return new SandglassException(
                ErrorCode.INVALID_REQUEST,
                field + ": " + start.replaceAll("[^\\x20-\\x7e]", "?") + " (expected: " + expected + ")",
                "Correct it and try again.");
    }
}
