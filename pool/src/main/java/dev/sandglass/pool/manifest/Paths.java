package dev.sandglass.pool.manifest;

import dev.sandglass.engine.manifest.Bytes;
import java.util.List;
import java.util.stream.Collectors;

/** Paths of a manifest, part by part. */
final class Paths {
    private Paths() {}

    /** The order of a walk: a directory before all that is in it. */
    static int compare(List<Bytes> one, List<Bytes> other) {
        int common = Math.min(one.size(), other.size());
        for (int index = 0; index < common; index++) {
            int order = one.get(index).compareTo(other.get(index));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(one.size(), other.size());
    }

    static String text(List<Bytes> path) {
        return path.stream().map(Bytes::toString).collect(Collectors.joining("/"));
    }
}
