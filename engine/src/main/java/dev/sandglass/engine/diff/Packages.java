package dev.sandglass.engine.diff;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.PackageChange;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Packages that came, went or changed, as far as the files of their managers that differ tell. Those files are hostile. Not thread-safe. */
final class Packages {
    private static final String DPKG = "/var/lib/dpkg/status";
    private static final Pattern PIP = Pattern.compile("(.*/(?:site|dist)-packages)/([^/]+?)-([^/-]+)\\.dist-info");
    private static final Pattern NPM = Pattern.compile("(.*/node_modules)/((?:@[^/]+/)?[^/]+)/package\\.json");
    private static final int STATUS_LIMIT = 16 << 20;
    private static final int JSON_LIMIT = 256 << 10;
    private static final int LONGEST = 200;
    private static final int MOST = 20_000;

    /** @param place where one manager has it: it may be there several times */
    private record Name(String manager, String name, String place) {}

    private record Versions(@Nullable String before, @Nullable String after) {}

    private final Map<Name, Versions> found =
            new TreeMap<>(Comparator.comparing(Name::manager).thenComparing(Name::name).thenComparing(Name::place));
    private boolean truncated;

    void note(Difference difference) {
        String path = difference.path();
        if (path.equals(DPKG)) {
            dpkg(installed(difference.before()), installed(difference.after()));
        } else if (path.endsWith(".dist-info")) {
            pip(difference, PIP.matcher(path));
        } else if (path.endsWith("/package.json")) {
            npm(difference, NPM.matcher(path));
        }
    }

    private void dpkg(Map<String, String> before, Map<String, String> after) {
        before.forEach((name, version) -> add(new Name("dpkg", name, ""), version, after.get(name)));
        after.forEach((name, version) -> add(new Name("dpkg", name, ""), before.get(name), version));
    }

    /** Versions by name. */
    private static Map<String, String> installed(Optional<Version> status) {
        Map<String, String> packages = new HashMap<>();
        String text = status.map(file -> new String(file.read(STATUS_LIMIT), StandardCharsets.UTF_8)).orElse("");
        String name = "";
        boolean installed = false;
        for (String line : (Iterable<String>) text.lines()::iterator) {
            if (line.startsWith("Package: ")) {
                name = line.substring("Package: ".length());
                installed = false;
            } else if (line.startsWith("Status: ")) {
                installed = line.endsWith(" installed");
            } else if (line.startsWith("Version: ") && installed && packages.size() < MOST) {
                packages.put(name, line.substring("Version: ".length()));
            }
        }
        return packages;
    }

    /** The directory's name says all. One that was replaced by another version is seen twice. */
    private void pip(Difference difference, Matcher path) {
        boolean cameOrWent = difference.before().isEmpty() || difference.after().isEmpty();
        if (cameOrWent && path.matches()) {
            Name name = new Name("pip", path.group(2).toLowerCase(Locale.ROOT), path.group(1));
            Versions known = found.getOrDefault(name, new Versions(null, null));
            add(
                    name,
                    difference.before().isPresent() ? path.group(3) : known.before(),
                    difference.after().isPresent() ? path.group(3) : known.after());
        }
    }

    private void npm(Difference difference, Matcher path) {
        if (path.matches()) {
            add(
                    new Name("npm", path.group(2), path.group(1)),
                    difference.before().map(Packages::version).orElse(null),
                    difference.after().map(Packages::version).orElse(null));
        }
    }

    private static String version(Version file) {
        try {
            return Json.tree(file.read(JSON_LIMIT)) instanceof Map<?, ?> json && json.get("version") instanceof String version ? version : "unknown";
        } catch (SandglassException noJson) {
            return "unknown";
        }
    }

    private void add(Name name, @Nullable String before, @Nullable String after) {
        if (Objects.equals(before, after)) {
            found.remove(name);
        } else if (found.size() < MOST || found.containsKey(name)) {
            found.put(name, new Versions(before == null ? null : bounded(before), after == null ? null : bounded(after)));
        } else {
            truncated = true;
        }
    }

    private static String bounded(String text) {
        return text.substring(0, Math.min(text.length(), LONGEST));
    }

    List<PackageChange> changes() {
        return found.entrySet().stream()
                .map(each -> new PackageChange(
                        each.getKey().manager(), bounded(each.getKey().name()), each.getValue().before(), each.getValue().after()))
                .toList();
    }

    boolean isTruncated() {
        return truncated;
    }
}
