package dev.sandglass.pool.image;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Chooses, among a host's sources, those of the distribution's own archive for one suite. */
final class SuiteSources {
    /** Names that a host may follow instead of its suite's own. */
    private static final Set<String> ALIASES = Set.of("stable", "oldstable", "testing", "unstable", "sid");
    /** Suites that have neither updates nor security fixes beside them. */
    private static final Set<String> ROLLING = Set.of("unstable", "sid", "experimental");

    private enum Part {
        ARCHIVE,
        UPDATES,
        SECURITY
    }

    private final HostRelease host;
    private final List<AptSource> sources;

    SuiteSources(HostRelease host, List<AptSource> sources) {
        this.host = host;
        this.sources = sources;
    }

    /** The sources that serve the suite; for one that the host does not list, its own archive with the other name. */
    List<AptSource> serving(String suite) {
        List<AptSource> listed = listed(suite);
        if (!listed.isEmpty() || host.suite().isEmpty() || suite.equals(host.suite())) {
            return listed;
        }
        List<AptSource> renamed = new ArrayList<>();
        for (AptSource source : listed(host.suite())) {
            Part part = part(source.suite(), host.suite()).orElseThrow();
            switch (part) {
                case ARCHIVE -> renamed.add(source.withSuite(suite));
                case UPDATES, SECURITY -> {
                    if (!ROLLING.contains(suite)) {
                        renamed.add(source.withSuite(suite + source.suite().substring(source.suite().indexOf('-'))));
                    }
                }
            }
        }
        return renamed;
    }

    private List<AptSource> listed(String suite) {
        Map<Part, List<AptSource>> parts = new EnumMap<>(Part.class);
        for (AptSource source : sources) {
            if (source.components().contains("main") && !source.uri().startsWith("cdrom:")) {
                part(source.suite(), suite).ifPresent(part -> parts.computeIfAbsent(part, any -> new ArrayList<>())
                        .add(source));
            }
        }
        if (!parts.containsKey(Part.ARCHIVE)) {
            return List.of();
        }
        return parts.values().stream().flatMap(found -> own(found).stream()).toList();
    }

    private Optional<Part> part(String name, String suite) {
        for (String base : bases(suite)) {
            if (name.equals(base)) {
                return Optional.of(Part.ARCHIVE);
            } else if (name.equals(base + "-updates")) {
                return Optional.of(Part.UPDATES);
            } else if (name.equals(base + "-security")) {
                return Optional.of(Part.SECURITY);
            }
        }
        return Optional.empty();
    }

    private List<String> bases(String suite) {
        List<String> bases = new ArrayList<>(List.of(suite));
        boolean isNamed = sources.stream().anyMatch(source -> source.suite().equals(suite));
        if (suite.equals(host.suite()) && !isNamed) {
            bases.addAll(ALIASES);
        }
        return bases;
    }

    /** Third parties serve suites of the same name: where the distribution's own key signs one, the others are left out. */
    private List<AptSource> own(List<AptSource> found) {
        List<AptSource> own = found.stream().filter(this::isSignedByDistribution).toList();
        return own.isEmpty() ? found : own;
    }

    private boolean isSignedByDistribution(AptSource source) {
        return source.signedBy()
                .map(path -> path.substring(path.lastIndexOf('/') + 1).startsWith(host.id()))
                .orElse(true);
    }
}
