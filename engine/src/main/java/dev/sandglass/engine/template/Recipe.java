package dev.sandglass.engine.template;

import dev.sandglass.engine.component.Catalogue;
import dev.sandglass.engine.component.Plan;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.wire.CommandSettings;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.dockerfile.DockerPlan;
import dev.sandglass.wire.dockerfile.DockerStep;
import dev.sandglass.wire.dockerfile.Dockerfile;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A template with what it means: its steps in their order, and what they reach. */
record Recipe(Template template, Plan plan, Optional<Dockerfile> dockerfile, UnaryOperator<String> digests) {
    /** What the base's own packages come from. */
    private static final String ALWAYS = "@apt";

    /** Without looking at what was uploaded. */
    static Recipe of(Template template, Catalogue known) {
        return of(template, known, name -> name);
    }

    /** @param digests of uploads, by their names */
    static Recipe of(Template template, Catalogue known, UnaryOperator<String> digests) {
        Catalogue all = known.and(template.definitions(), null);
        Optional<Dockerfile> dockerfile = Origins.dockerfile(template);
        Set<String> arguments = dockerfile.map(Dockerfile::arguments).orElse(Set.of());
        return new Recipe(template, Plan.of(all, Objects.requireNonNullElse(template.components(), List.of()), Objects.requireNonNullElse(template.variables(), Map.of()), arguments), dockerfile, digests);
    }

    /** What its Dockerfile comes to on top of what a base says of commands. */
    Optional<DockerPlan> instructions(CommandDefaults base) {
        CommandSettings settings = new CommandSettings(base.user().orElse(null), base.workdir().orElse(null), base.env(), base.entrypoint(), base.cmd());
        return dockerfile.map(file -> file.plan(settings, Objects.requireNonNullElse(template.variables(), Map.of())));
    }

    /** What the steps of a program come to, if it has any. */
    private Optional<Stepping> stepping(CommandDefaults base) {
        return Optional.ofNullable(template.steps()).map(steps -> Stepping.of(steps, base, template.image() != null, digests));
    }

    /** Those of the Dockerfile, or of a program. */
    List<Step> instructed(CommandDefaults base) {
        Optional<Stepping> stepping = stepping(base);
        if (stepping.isPresent()) {
            return stepping.get().steps();
        }
        Copying copying = new Copying(Objects.requireNonNullElse(template.context(), List.of()));
        return instructions(base).map(DockerPlan::steps).orElse(List.of()).stream().map(step -> step(step, copying)).toList();
    }

    private static Step step(DockerStep step, Copying copying) {
        return switch (step) {
            case DockerStep.Run run -> new Step.Command(run);
            case DockerStep.Directory(String shown, String path) -> new Step.Directory(shown, path);
            case DockerStep.Copy copy -> copying.step(copy);
        };
    }

    /** Those that follow. */
    List<Step> own() {
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

    /** What commands of its sandboxes get, on top of what the base says: what the Dockerfile says, and before all what the template does. */
    CommandDefaults commands(CommandDefaults base) {
        CommandDefaults own = new CommandDefaults(Optional.ofNullable(template.user()), Optional.ofNullable(template.workdir()), env(), List.of(), List.of());
        return own.over(afterInstructions(base));
    }

    /** The same without what the template itself says: what steps after the Dockerfile get. */
    CommandDefaults afterInstructions(CommandDefaults base) {
        return stepping(base)
                .map(made -> made.commands(base))
                .or(() -> instructions(base).map(made -> CommandDefaults.of(made.settings())))
                .orElse(base);
    }

    /** Of which each step depends, beside the steps before it: variables are those of all of them. */
    String root(String base) {
        return new Parts().text(base).pairs(env()).text(Optional.ofNullable(template.workdir())).text(Optional.ofNullable(template.user())).toString();
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

    /** Commands of a program reach what it may need: nobody said beforehand what that is. */
    NetworkPolicy buildNetwork() {
        if (template.steps() != null) {
            return new NetworkPolicy("open", List.of("allow @apt,@npm,@pip,@maven"), null);
        }
        return new NetworkPolicy(null, domains().stream().map(domain -> TemplateRules.domain(domain).toString()).toList(), "deny");
    }
}
