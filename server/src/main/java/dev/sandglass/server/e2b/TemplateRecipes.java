package dev.sandglass.server.e2b;

import dev.sandglass.engine.Engine;
import dev.sandglass.server.e2b.json.BuildWish;
import dev.sandglass.server.e2b.json.NewTemplate;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ReadyCheck;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateResources;
import dev.sandglass.wire.TemplateStatus;
import dev.sandglass.wire.TemplateStep;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What E2B clients build templates of, as recipes of ours. Thread-safe. */
final class TemplateRecipes {
    private static final String SECURITY = "standard";
    private static final String START = "start";

    private final Engine engine;
    private final TemplateNames names;

    TemplateRecipes(Engine engine, TemplateNames names) {
        this.engine = engine;
        this.names = names;
    }

    /** What a build begins with, and what its client should know of that. */
    private record Beginning(@Nullable String from, @Nullable String image, Optional<String> note) {}

    /** A name that a template has which was brought along, or that means the base image, cannot be built anew. */
    void requireFree(String name) {
        boolean ours = name.equals(TemplateNames.BASE)
                || (engine.templates().isBuilt(name).isPresent() && engine.templates().get(name).origin().equals("builtin"));
        if (ours) {
            throw new SandglassException(ErrorCode.CONFLICT, "The template " + name + " is one that this server brings along, and cannot be changed.", "Choose another name.");
        }
    }

    /** Keeps the recipe under its name, in the place of an earlier one; gives back what the client should know. */
    Optional<String> keep(String name, NewTemplate announced, BuildWish wish) {
        Beginning beginning = beginning(wish);
        List<TemplateStep> steps = Objects.requireNonNullElse(wish.steps(), List.<BuildWish.Step>of()).stream()
                .map(step -> new TemplateStep(step.type(), Objects.requireNonNullElse(step.args(), List.of()), step.filesHash()))
                .toList();
        String start = blankToNull(wish.startCmd());
        String ready = blankToNull(wish.readyCmd());
        Template recipe = new Template(
                name, null, beginning.from(), beginning.image(), null, null, null, null, null, null, null, null, null, null,
                start == null ? null : List.of(service(start, steps)), ready == null ? null : new ReadyCheck(ready, null), (start == null || !engine.sandboxes().keepsProcesses()) ? null : true,
                new TemplateResources(announced.memoryMB(), announced.cpuCount(), null, null), null, null, null, null, null, null, null, SECURITY, steps);
        engine.templates().create(recipe, true);
        return beginning.note();
    }

    private static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }

    /** It runs as whom and where the last steps say. */
    private static CreateService service(String command, List<TemplateStep> steps) {
        String user = last(steps, "USER").orElse(Creation.USER);
        return new CreateService(
                START, List.of("/bin/bash", "-l", "-c", command), null, last(steps, "WORKDIR").filter(path -> path.startsWith("/")).orElse(null), null, user, null, null, null, null, null, null, null, null);
    }

    private static Optional<String> last(List<TemplateStep> steps, String type) {
        return steps.stream().filter(step -> step.type().equals(type) && !step.args().isEmpty()).reduce((_, later) -> later).map(step -> step.args().getFirst());
    }

    private Beginning beginning(BuildWish wish) {
        if (wish.fromImageRegistry() != null) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "fromImageRegistry: the daemon signs in at registries by itself.", "Log in on its machine (the usual config.json), or bring the image with `sandglass image pull`.");
        }
        if (wish.fromTemplate() != null) {
            return ofTemplate(wish.fromTemplate());
        }
        return wish.fromImage() == null ? new Beginning(null, null, Optional.empty()) : ofImage(wish.fromImage());
    }

    private Beginning ofTemplate(String name) {
        return switch (names.find(name)) {
            case TemplateNames.Origin.Base() -> new Beginning(null, null, Optional.empty());
            case TemplateNames.Origin.OfTemplate ours -> new Beginning(from(ours), null, Optional.empty());
            case TemplateNames.Origin.OfSnapshot(Snapshot snapshot) -> new Beginning(snapshot.id(), null, Optional.empty());
        };
    }

    /** What a tag stands for now: that it may stand for something else later is no matter of this recipe. */
    private String from(TemplateNames.Origin.OfTemplate template) {
        return template.tag().map(tag -> engine.templates().version(template.name(), tag).snapshot()).orElse(template.name());
    }

    /** The image itself if it is here or can be fetched, else what stands for it. */
    private Beginning ofImage(String image) {
        if (engine.images().find(image).isPresent() || engine.images().isElsewhere(image)) {
            return new Beginning(null, image, Optional.empty());
        }
        BaseImageNames.StandIn standIn = BaseImageNames.of(image);
        Optional<TemplateStatus> template = standIn.template().map(engine.templates()::get);
        return new Beginning(template.map(TemplateStatus::name).orElse(null), null, standIn.note());
    }
}
