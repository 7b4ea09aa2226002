package dev.sandglass.cli.copy;

import java.util.List;

/**
 * How much was copied, and what was not.
 *
 * @param withoutSetId what was copied but for its set-id bits
 */
public record Copied(long entries, long bytes, List<String> leftOut, List<String> withoutSetId) {
    Copied(long entries, long bytes) {
        this(entries, bytes, List.of(), List.of());
    }
}
