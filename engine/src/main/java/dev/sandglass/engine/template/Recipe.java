package dev.sandglass.engine.template;

import dev.sandglass.engine.component.Catalogue;
import dev.sandglass.engine.component.Plan;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** A template with what it means: its steps in their order, and what they reach. */
record Recipe(Template template, Plan plan) {
    /** What the base's own packages come from. */
    private static final String ALWAYS = "@apt";

    static Recipe of(Template template, Catalogue known) {
        Catalogue all = known.and(template.definitions(), null);
        return new Recipe(template, Plan.of(all, Objects.requireNonNullElse(template.components(), List.of()), Objects.requireNonNullElse(template.variables(), Map.of())));
    }

    List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        plan.items().forEach(item -> steps.add(new Step.Component(item)));
        List<TemplateFile> files = Objects.requireNonNullElse(template.files(), List.of());
        if (!files.isEmpty()) {
            steps.add(new Step.Files(files));
        }
        String setup = template.setup();
        if (setup != null && !setup.isBlank()) {
            steps.add(new Step.Setup(setup));
        }
        return steps;
    }

    /** Of which each step depends, beside the steps before it: variables are those of all of them. */
    String root(String base) {
        return base + "\n" + new TreeMap<>(env()) + "\n" + template.workdir() + "\n" + template.user();
    }

    Map<String, String> env() {
        return Objects.requireNonNullElse(template.env(), Map.of());
    }

    List<CreateService> services() {
        return Objects.requireNonNullElse(template.services(), List.of());
    }

    boolean warm() {
        return Boolean.TRUE.equals(template.warm());
    }

    /** What is reachable while it is built, and only then. */
    List<String> domains() {
        Set<String> all = new LinkedHashSet<>(List.of(ALWAYS));
        all.addAll(plan.domains());
        all.addAll(Objects.requireNonNullElse(template.requiredDomains(), List.of()));
        return List.copyOf(all);
    }

    NetworkPolicy buildNetwork() {
        return new NetworkPolicy(null, domains().stream().map(domain -> TemplateRules.domain(domain).toString()).toList(), "deny");
    }
}
