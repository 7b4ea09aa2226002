package dev.sandglass.cli.copy;

import java.util.List;

/** How much was copied, and what was not. */
public record Copied(long entries, long bytes, List<String> leftOut) {}
