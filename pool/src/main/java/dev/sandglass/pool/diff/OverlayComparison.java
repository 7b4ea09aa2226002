package dev.sandglass.pool.diff;

import dev.sandglass.engine.diff.TreeComparison;
import dev.sandglass.linux.OwnThread;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Compares overlays by looking at their layers. Thread-safe. */
public final class OverlayComparison implements TreeComparison {
    @Override
    public boolean compare(List<Path> before, List<Path> after, Duration atMost, Visitor visitor) {
        int common = common(before, after);
        try {
            return OwnThread.call("diff", () -> {
                try (Comparison comparison = new Comparison(visitor, new Contents(atMost))) {
                    return comparison.run(
                            layers(before.subList(0, before.size() - common)),
                            layers(after.subList(0, after.size() - common)),
                            layers(before.subList(before.size() - common, before.size())));
                }
            });
        } catch (IOException problem) {
            throw StorageFailure.of("The states could not be compared", problem);
        }
    }

    /** How many layers at the bottom both have. */
    private static int common(List<Path> before, List<Path> after) {
        int common = 0;
        while (common < Math.min(before.size(), after.size())
                && before.get(before.size() - 1 - common).equals(after.get(after.size() - 1 - common))) {
            common++;
        }
        return common;
    }

    private static List<Layer> layers(List<Path> directories) throws IOException {
        List<Layer> layers = new ArrayList<>();
        for (Path directory : directories) {
            layers.add(new Layer(directory));
        }
        return layers;
    }
}
