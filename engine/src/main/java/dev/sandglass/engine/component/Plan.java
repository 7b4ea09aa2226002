package dev.sandglass.engine.component;

import dev.sandglass.wire.Bundle;
import dev.sandglass.wire.Component;
import dev.sandglass.wire.ComponentMemory;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is to be installed, in its order: each component once, after those that it requires. */
public final class Plan {
    private static final int MOST = 64;
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_]*)}");

    /**
     * A component that is to be installed.
     *
     * @param variables with the values that hold here
     */
    public record Item(Component component, Map<String, String> variables) {
        public String name() {
            return component.name();
        }

        /** What it reaches; a variable among them stands for the host of the URL that it has. */
        public List<String> domains() {
            return Objects.requireNonNullElse(component.domains(), List.<String>of()).stream().map(this::resolved).filter(text -> !text.isEmpty()).toList();
        }

        private String resolved(String domain) {
            Matcher reference = REFERENCE.matcher(domain);
            if (!reference.find()) {
                return domain;
            }
            String value = reference.replaceAll(found -> Matcher.quoteReplacement(variables.getOrDefault(found.group(1), "")));
            return value.contains("://") ? host(value) : value;
        }

        private static String host(String url) {
            try {
                URI uri = URI.create(url);
                return uri.getHost() == null ? "" : uri.getPort() < 0 ? uri.getHost() : uri.getHost() + ":" + uri.getPort();
            } catch (IllegalArgumentException none) {
                return "";
            }
        }
    }

    private final Catalogue catalogue;
    private final Map<String, Item> items = new LinkedHashMap<>();
    private final Set<String> underway = new LinkedHashSet<>();

    private Plan(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * Plans what is wanted by name, bundles among them.
     *
     * @param values for variables, which count more than those of the components
     */
    public static Plan of(Catalogue catalogue, List<String> wanted, Map<String, String> values) {
        return of(catalogue, wanted, values, Set.of());
    }

    /**
     * The same where values are for others, too.
     *
     * @param others the names of variables that need to be none of a component
     */
    public static Plan of(Catalogue catalogue, List<String> wanted, Map<String, String> values, Set<String> others) {
        ComponentRules.variables("variables", values);
        Plan plan = new Plan(catalogue);
        Set<String> names = new LinkedHashSet<>();
        Set<String> unpacked = new LinkedHashSet<>();
        wanted.forEach(name -> unbundle(catalogue, name, names, unpacked, new LinkedHashSet<>()));
        Map<String, String> demanded = new TreeMap<>();
        names.forEach(name -> plan.demands(name, demanded, new LinkedHashSet<>()));
        demanded.putAll(values);
        names.forEach(name -> plan.add(name, demanded));
        plan.requireKnown(values, others);
        return plan;
    }

    /** Finds the components of a bundle, in which others may be; each is unpacked once. */
    private static void unbundle(Catalogue catalogue, String name, Set<String> names, Set<String> unpacked, Set<String> around) {
        Optional<Bundle> bundle = catalogue.bundle(name);
        if (bundle.isEmpty()) {
            names.add(name);
            return;
        }
        if (!around.add(name)) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "bundles: " + String.join(" -> ", around) + " -> " + name + " (expected: no bundle within itself)", "Correct the bundles.");
        }
        if (unpacked.add(name)) {
            bundle.get().components().forEach(each -> unbundle(catalogue, each, names, unpacked, around));
        }
        around.remove(name);
    }

    /** What a component says about variables of those that it requires. */
    private void demands(String name, Map<String, String> demanded, Set<String> seen) {
        Component component = catalogue.get(name);
        if (!seen.add(name)) {
            return;
        }
        Objects.requireNonNullElse(component.requires(), List.<String>of()).forEach(each -> demands(each, demanded, seen));
        if (component.requires() != null && component.variables() != null) {
            demanded.putAll(component.variables());
        }
    }

    private void add(String name, Map<String, String> demanded) {
        if (items.containsKey(name)) {
            return;
        }
        if (!underway.add(name)) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "requires: " + String.join(" -> ", underway) + " -> " + name + " (expected: no component that requires itself)", "Correct the components.");
        }
        Component component = catalogue.get(name);
        Objects.requireNonNullElse(component.requires(), List.<String>of()).forEach(each -> add(each, demanded));
        Map<String, String> variables = new TreeMap<>(Objects.requireNonNullElse(component.variables(), Map.of()));
        variables.replaceAll((variable, value) -> demanded.getOrDefault(variable, value));
        items.put(name, new Item(component, variables));
        underway.remove(name);
        if (items.size() > MOST) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "components: more than " + MOST, "Install some of them at a time.");
        }
    }

    /** A misspelt variable must not be without effect silently. */
    private void requireKnown(Map<String, String> values, Set<String> others) {
        Set<String> known = new LinkedHashSet<>(others);
        items.values().forEach(item -> known.addAll(item.variables().keySet()));
        values.keySet().stream().filter(name -> !known.contains(name)).findFirst().ifPresent(name -> {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST,
                    "variables: no component here has " + name + (known.isEmpty() ? "" : dev.sandglass.wire.document.Nearest.to(name, known)),
                    "`sandglass component get` shows the variables of a component.");
        });
    }

    public List<Item> items() {
        return List.copyOf(items.values());
    }

    /** What all of them reach. */
    public List<String> domains() {
        return items().stream().flatMap(item -> item.domains().stream()).distinct().toList();
    }

    /** The most memory that one of them needs to be installed, in MB. */
    public Optional<Long> memoryMb() {
        return items.values().stream().map(item -> item.component().memory()).filter(Objects::nonNull).map(ComponentMemory::provisionMb).filter(Objects::nonNull).max(Long::compare);
    }

    /**
     * What is to be said about the memory of a sandbox before they are installed.
     *
     * @param raise how it gets that many MB
     */
    public List<String> warnings(long memoryMb, LongFunction<String> raise) {
        List<String> warnings = new ArrayList<>();
        for (Item item : items()) {
            ComponentMemory memory = item.component().memory();
            if (memory == null) {
                continue;
            }
            Long needed = memory.provisionMb();
            Long later = memory.runMb();
            if (needed != null && memoryMb < needed) {
                warnings.add(item.name() + " wants " + needed + " MB of memory to be installed, the sandbox has " + memoryMb + " MB; " + raise.apply(needed));
            } else if (later != null && memoryMb < later) {
                warnings.add(item.name() + " wants " + later + " MB of memory to run, the sandbox has " + memoryMb + " MB; " + raise.apply(later));
            }
        }
        return warnings;
    }
}
