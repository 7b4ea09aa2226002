package dev.sandglass.engine.diff;

import java.util.List;
import java.util.Optional;

/**
 * A path at which two states differ. One of the versions is there at least; they can be read as long as the visitor has the difference.
 *
 * @param path absolute; bytes that are no text are replaced
 * @param fields what differs of a file that both have: {@code kind}, {@code content}, {@code target}, {@code mode}, {@code owner}, {@code attributes}
 */
public record Difference(String path, Optional<Version> before, Optional<Version> after, List<String> fields) {}
