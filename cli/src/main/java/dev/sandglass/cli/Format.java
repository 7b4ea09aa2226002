package dev.sandglass.cli;

/** How results are printed. */
enum Format {
    TABLE,
    JSON;

    /** What was asked for, else (when empty) a table on a terminal and JSON in a pipe. */
    static Format of(String asked, Console console) {
        return switch (asked) {
            case "" -> console.terminal(Console.OUT) ? TABLE : JSON;
            case "table" -> TABLE;
            case "json" -> JSON;
            default -> throw new UsageException("output: " + asked + " (expected: table or json)");
        };
    }
}
