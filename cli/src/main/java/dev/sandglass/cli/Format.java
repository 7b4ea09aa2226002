package dev.sandglass.cli;

/** How results are printed. */
enum Format {
    TABLE,
    JSON,
    YAML;

    /** What was asked for, else (when empty) what SANDGLASS_OUTPUT says, else a table on a terminal and JSON in a pipe. */
    static Format of(String asked, Console console) {
        return switch (asked) {
            case "" -> {
                String usual = console.environment().getOrDefault("SANDGLASS_OUTPUT", "");
                yield !usual.isEmpty() ? of(usual, console) : console.terminal(Console.OUT) ? TABLE : JSON;
            }
            case "table" -> TABLE;
            case "json" -> JSON;
            case "yaml" -> YAML;
            default -> throw new UsageException("output: " + asked + " (expected: table, json or yaml)");
        };
    }

    /** Whether it is for programs. */
    boolean structured() {
        return this != TABLE;
    }
}
