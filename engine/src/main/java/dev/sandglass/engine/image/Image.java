package dev.sandglass.engine.image;

import java.nio.file.Path;
import java.util.List;

/**
 * A root filesystem to begin with.
 *
 * @param id names the content, so that a rebuilt image has another id
 * @param layers read-only layers, top first
 */
public record Image(String id, List<Path> layers) {}
