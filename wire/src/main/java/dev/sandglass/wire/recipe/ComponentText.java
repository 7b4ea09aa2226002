package dev.sandglass.wire.recipe;

import dev.sandglass.wire.Bundle;
import dev.sandglass.wire.Component;
import dev.sandglass.wire.ComponentMemory;
import dev.sandglass.wire.document.Documents;
import dev.sandglass.wire.document.Fields;
import dev.sandglass.wire.document.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file of components and bundles. */
public final class ComponentText {
    private static final long MOST_SECONDS = 86_400;
    private static final long MOST_MB = 1 << 24;

    /**
     * What such a file says.
     *
     * @param components those that it defines
     * @param bundles those that it defines
     * @param names of all components that it lists, in their order, defined there or not
     */
    public record Contents(List<Component> components, List<Bundle> bundles, List<String> names) {}

    private ComponentText() {}

    /** @param label what errors call the text: the name of its file */
    public static Contents read(String label, String text, String origin) {
        Fields root = Documents.read(label, text).only("components", "bundles");
        List<Component> components = new ArrayList<>();
        List<String> names = root.find("components").map(list -> named(list, components, origin)).orElse(List.of());
        List<Bundle> bundles = root.find("bundles").map(list -> list.items().stream().map(each -> bundle(each, origin)).toList()).orElse(List.of());
        return new Contents(List.copyOf(components), bundles, names);
    }

    /**
     * The names of a list whose items are names or whole components.
     *
     * @param defined gets the whole ones
     */
    static List<String> named(Value list, List<Component> defined, String origin) {
        List<String> names = new ArrayList<>();
        for (Value item : list.items()) {
            if (!item.isMapping()) {
                names.add(item.text());
                continue;
            }
            Component component = component(item.fields(), origin);
            if (defined.stream().anyMatch(each -> each.name().equals(component.name()))) {
                throw item.refused("a name that is not there twice, as " + component.name() + " is");
            }
            defined.add(component);
            names.add(component.name());
        }
        return names;
    }

    private static Component component(Fields fields, String origin) {
        fields.only("name", "description", "install", "verify", "timeout", "memory", "domains", "tags", "variables", "requires");
        return new Component(
                fields.need("name").text(),
                fields.text("description"),
                fields.need("install").text(),
                fields.text("verify"),
                fields.number("timeout", 1, MOST_SECONDS),
                fields.find("memory").map(ComponentText::memory).orElse(null),
                fields.texts("domains"),
                fields.texts("tags"),
                fields.pairs("variables"),
                fields.texts("requires"),
                origin);
    }

    private static @Nullable ComponentMemory memory(Value value) {
        Fields fields = value.fields().only("provision_mb", "run_mb");
        return new ComponentMemory(fields.number("provision_mb", 1, MOST_MB), fields.number("run_mb", 1, MOST_MB));
    }

    private static Bundle bundle(Value value, String origin) {
        Fields fields = value.fields().only("name", "description", "components");
        return new Bundle(fields.need("name").text(), fields.text("description"), Objects.requireNonNull(fields.need("components").texts()), origin);
    }
}
