package dev.sandglass.engine.diff;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The port that compares what overlays of read-only layers show. Thread-safe. */
public interface TreeComparison {
    /** Takes differences in the order of their paths. */
    interface Visitor {
        void differs(Difference difference);
    }

    /**
     * Compares two overlays, each given by its layers, top first. Layers at the bottom that both have are not looked through. Times of files do
     * not count.
     *
     * @return whether all was compared: false when the time was over, or where a directory is too deep or too large
     */
    boolean compare(List<Path> before, List<Path> after, Duration atMost, Visitor visitor);
}
