package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CaptureTemplate;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateStatus;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** {@code template create}: a recipe is kept, or a sandbox becomes a template. */
final class TemplateCreateVerb extends Verb {
    private final Syntax.Value name = syntax.optionalOperand(0, "TEMPLATE", "The name; with --file that of the file if absent.");
    private final Syntax.Value file = syntax.value("FILE", "A YAML file with the recipe; - is standard input.", "-f", "--file");
    private final Syntax.Value dockerfile = syntax.value("FILE", "A Dockerfile; what it copies stands beside it.", "--dockerfile");
    private final Syntax.Values arguments = syntax.values("NAME=VALUE", "With --dockerfile: the value of an ARG; may be repeated.", "--build-arg");
    private final Syntax.Value sandbox = syntax.value("SANDBOX", "Make it of the disk of this sandbox, ready at once.", "--from-sandbox");
    private final Syntax.Value description = syntax.value("TEXT", "With --from-sandbox or --dockerfile: what it is for.", "--description");
    private final Syntax.Flag replace = syntax.flag("Take the place of the recipe of that name; what it was built into stays until it is built again.", "--replace");

    TemplateCreateVerb() {
        super(new Syntax("template create", "Keep a recipe, or make a template of a sandbox."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        if (Stream.of(file, dockerfile, sandbox).filter(given -> given.orNull() != null).count() != 1) {
            throw new UsageException("of what it is made is missing or there twice (expected: one of --file, --dockerfile and --from-sandbox)");
        }
        if (file.orNull() == null && name.orNull() == null) {
            throw new UsageException("the name of the template is missing (expected: template create NAME " + (sandbox.orNull() == null ? "--dockerfile FILE)" : "--from-sandbox SANDBOX)"));
        }
        if (dockerfile.orNull() == null && !arguments.all().isEmpty()) {
            throw new UsageException("--build-arg is of a Dockerfile (expected: together with --dockerfile)");
        }
        Optional<RecipeFile> read = Stream.of(file, dockerfile).filter(given -> given.orNull() != null).findFirst().map(given -> RecipeFile.read(given.orEmpty(), console.in()));
        Optional<Template> recipe = read.map(this::recipe);
        try (Client client = client(console)) {
            TemplateStatus made = recipe.isEmpty()
                    ? waiting(console, "Capturing " + sandbox.orEmpty(), () -> client.templates().capture(new CaptureTemplate(name.orEmpty(), sandbox.orEmpty(), description.orNull())))
                    : client.templates().create(recipe.get(), replace.isSet());
            console.print(format.structured() ? Document.of(made, format, console) : TemplateText.line(made));
            return OK;
        } catch (SandglassException refused) {
            throw read.map(text -> dockerfile.orNull() == null ? text.placed(refused) : text.placedInDockerfile(refused)).orElse(refused);
        }
    }

    private Template recipe(RecipeFile read) {
        if (dockerfile.orNull() == null) {
            return read.template(name.orNull());
        }
        return read.dockerfile(name.orEmpty(), description.orNull(), Objects.requireNonNullElse(Pairs.parse("build-arg", arguments.all(), Map.of()), Map.of()));
    }
}
