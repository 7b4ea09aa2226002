package dev.sandglass.engine.image;

import dev.sandglass.engine.sandbox.CommandDefaults;
import java.nio.file.Path;
import java.util.List;

/**
 * A root filesystem to begin with.
 *
 * @param id names the content, so that a rebuilt image has another id
 * @param layers read-only layers, top first
 * @param commands what commands get when nobody says otherwise
 */
public record Image(String id, List<Path> layers, CommandDefaults commands) {
    public Image(String id, List<Path> layers) {
        this(id, layers, CommandDefaults.NONE);
    }
}
