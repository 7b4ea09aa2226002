package dev.sandglass.engine.template;

import dev.sandglass.engine.build.RunningBuild;
import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.ledger.TemplateLedger;
import dev.sandglass.engine.ledger.TemplateRecord;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.oci.OciImages;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.wire.CommandSettings;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.PullImage;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.dockerfile.Dockerfile;
import dev.sandglass.wire.document.Nearest;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** With what templates begin, by the names that they say. Thread-safe. */
final class Origins {
    private static final int DEEPEST = 16;
    private static final String LATEST = ":latest";

    /** What a name stands for. */
    private sealed interface Origin {
        /** The base image. */
        record Standard() implements Origin {}

        /** Another template. */
        record Another(TemplateRecord template) implements Origin {}

        /** A snapshot of nobody's template. */
        record Taken(SnapshotRecord snapshot) implements Origin {}

        /** An image from elsewhere, here already or in its registry. */
        record Elsewhere(String reference) implements Origin {}
    }

    private final TemplateLedger templates;
    private final Ledger all;
    private final OciImages images;
    private final Supplier<Image> standard;

    /** @param standard the base image of now */
    Origins(Ledger all, OciImages images, Supplier<Image> standard) {
        this.all = all;
        this.templates = all.templates();
        this.images = images;
        this.standard = standard;
    }

    /** What it begins with is there, or says in which registry it is, and is not made of it. */
    void require(Template template) {
        Set<String> line = new LinkedHashSet<>(Set.of(template.name()));
        Optional<Template> next = Optional.of(template);
        while (next.isPresent()) {
            Optional<String> parent = parent(next.get());
            if (parent.isPresent() && (!line.add(parent.get()) || line.size() > DEEPEST)) {
                throw new SandglassException(
                        ErrorCode.INVALID_REQUEST,
                        "from: " + String.join(" -> ", line) + (line.size() > DEEPEST ? "" : " -> " + parent.get()) + " (expected: no template that is made of itself, and at most " + DEEPEST + " of each other)",
                        "Let one of them begin with something else.");
            }
            next = origin(next.get()) instanceof Origin.Another(TemplateRecord another) ? Optional.of(Templates.recipe(another)) : Optional.empty();
        }
    }

    /** The name of the template that it begins with, which need not be there. */
    Optional<String> parent(Template template) {
        if (template.from() != null) {
            return Optional.of(template.from()).filter(name -> name.equals(template.name()) || templates.find(name).isPresent());
        }
        Optional<String> named = dockerfile(template).map(file -> beginning(file, template).name());
        return named.filter(name -> images.find(name).isEmpty()).map(Origins::withoutTag).filter(name -> name.equals(template.name()) || templates.find(name).isPresent());
    }

    /**
     * What it begins with, fetched from its registry if need be.
     *
     * @param ready the snapshot for which a template stands
     */
    Base base(Template template, RunningBuild build, Function<TemplateRecord, SnapshotRecord> ready) {
        return switch (origin(template)) {
            case Origin.Standard() -> new Base.OfImage(standard.get().id());
            case Origin.Another(TemplateRecord another) -> new Base.OfSnapshot(ready.apply(another));
            case Origin.Taken(SnapshotRecord snapshot) -> new Base.OfSnapshot(snapshot);
            case Origin.Elsewhere(String reference) -> {
                ImageInfo image = images.find(reference).orElseGet(() -> {
                    build.print("", "fetching the image " + reference + "\n");
                    return images.pull(new PullImage(reference, null, null));
                });
                yield new Base.OfNamedImage(image.id(), CommandDefaults.of(new CommandSettings(image.user(), image.workdir(), image.env(), image.entrypoint(), image.cmd())));
            }
        };
    }

    static Optional<Dockerfile> dockerfile(Template template) {
        return Optional.ofNullable(template.dockerfile()).map(text -> Dockerfile.read("dockerfile", text));
    }

    private static Dockerfile.Beginning beginning(Dockerfile file, Template template) {
        return file.beginning(Objects.requireNonNullElse(template.variables(), Map.of()));
    }

    private Origin origin(Template template) {
        if (template.from() != null) {
            String name = template.from();
            return templates.find(name).<Origin>map(Origin.Another::new).orElseGet(() -> new Origin.Taken(snapshot(name)));
        }
        if (template.image() != null) {
            String name = template.image();
            if (images.find(name).isPresent() || images.isElsewhere(name)) {
                return new Origin.Elsewhere(name);
            }
            throw new SandglassException(ErrorCode.IMAGE_NOT_FOUND, "image: there is no image " + Rules.printable(name) + " here, and its name says no registry.", "`sandglass image ls` lists those that there are.");
        }
        return dockerfile(template).map(file -> named(beginning(file, template))).orElseGet(Origin.Standard::new);
    }

    /** What people mean by the name behind FROM: an image that is here, a template or snapshot, Debian as the base image is, an image that is elsewhere. */
    private Origin named(Dockerfile.Beginning beginning) {
        String name = beginning.name();
        if (images.find(name).isPresent()) {
            return new Origin.Elsewhere(name);
        }
        Optional<Origin> known = templates.find(withoutTag(name)).<Origin>map(Origin.Another::new).or(() -> find(name).map(Origin.Taken::new));
        if (known.isPresent()) {
            return known.get();
        }
        if (StandardNames.of(standard.get()).contains(name)) {
            return new Origin.Standard();
        }
        if (images.isElsewhere(name)) {
            return new Origin.Elsewhere(name);
        }
        throw new SandglassException(
                ErrorCode.IMAGE_NOT_FOUND,
                beginning.place() + ": FROM " + Rules.printable(name) + ": there is no image or template of that name here, and it says no registry.",
                "Name one of `sandglass image ls` or `sandglass template ls`, or sandglass for the base image; with its registry before the name an image is fetched.");
    }

    private static String withoutTag(String name) {
        return name.endsWith(LATEST) ? name.substring(0, name.length() - LATEST.length()) : name;
    }

    private Optional<SnapshotRecord> find(String name) {
        try {
            return Optional.of(all.snapshots().resolve(name));
        } catch (SandglassException unknown) {
            return Optional.empty();
        }
    }

    private String near(String name) {
        return Nearest.find(name, templates.all().stream().map(TemplateRecord::name).toList()).map(each -> " (expected: " + each + "?)").orElse("");
    }

    private SnapshotRecord snapshot(String name) {
        try {
            return all.snapshots().resolve(name);
        } catch (SandglassException unknown) {
            throw unknown.code() == ErrorCode.SNAPSHOT_NOT_FOUND
                    ? new SandglassException(
                            ErrorCode.TEMPLATE_NOT_FOUND, "from: there is no template or snapshot " + Rules.printable(name) + near(name) + ".", "`sandglass template ls` and `sandglass snapshot ls` list those that there are.", unknown)
                    : unknown;
        }
    }
}
