package dev.sandglass.engine.file;

import dev.sandglass.wire.Entry;
import java.util.Map;
import java.util.Optional;

/**
 * An entry, and what there is to know of it besides.
 *
 * @param end where it leads, if it is a link that leads somewhere
 * @param attributes extended ones that were asked for and are text, by their whole names
 */
public record DetailedEntry(Entry entry, Optional<End> end, Map<String, String> attributes) {
    /** Where a link ends, through all links on the way: its path is absolute. */
    public record End(String kind, String mode, String path) {}
}
