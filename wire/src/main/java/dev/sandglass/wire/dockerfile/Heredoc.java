package dev.sandglass.wire.dockerfile;

/**
 * Lines below an instruction that belong to it.
 *
 * @param literal whether variables in them stay as they are
 * @param lines as they stand there
 */
record Heredoc(String name, boolean literal, boolean withoutTabs, String lines) {
    /** What a file of them has. */
    String content() {
        return withoutTabs ? lines.replaceAll("(?m)^\t+", "") : lines;
    }
}
