package dev.sandglass.server.metric;

import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How long things of some kinds took, by what came of them. Thread-safe. */
final class Durations {
    private record Kind(String kind, String result) {}

    private final String name;
    private final String help;
    private final String kindLabel;
    private final String resultLabel;
    private final double[] bounds;
    private final Map<Kind, Histogram> kinds = new ConcurrentHashMap<>();

    Durations(String name, String help, String kindLabel, String resultLabel, double... bounds) {
        this.name = name;
        this.help = help;
        this.kindLabel = kindLabel;
        this.resultLabel = resultLabel;
        this.bounds = bounds.clone();
    }

    void add(String kind, String result, long nanos) {
        kinds.computeIfAbsent(new Kind(kind, result), _ -> new Histogram(bounds)).add(nanos);
    }

    void write(Exposition text) {
        text.family(name, "histogram", help);
        kinds.entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getKey().kind() + " " + entry.getKey().result()))
                .forEach(entry -> entry.getValue()
                        .write(text, name, kindLabel, entry.getKey().kind(), resultLabel, entry.getKey().result()));
    }
}
