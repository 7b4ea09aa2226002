package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.wire.CaptureTemplate;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateStatus;

/** {@code template create}: a recipe is kept, or a sandbox becomes a template. */
final class TemplateCreateVerb extends Verb {
    private final Syntax.Value name = syntax.optionalOperand(0, "TEMPLATE", "The name; with --file that of the file if absent.");
    private final Syntax.Value file = syntax.value("FILE", "A YAML file with the recipe.", "-f", "--file");
    private final Syntax.Value sandbox = syntax.value("SANDBOX", "Make it of the disk of this sandbox, ready at once.", "--from-sandbox");
    private final Syntax.Value description = syntax.value("TEXT", "With --from-sandbox: what it is for.", "--description");
    private final Syntax.Flag replace = syntax.flag("Take the place of the recipe of that name; what it was built into stays until it is built again.", "--replace");

    TemplateCreateVerb() {
        super(new Syntax("template create", "Keep a recipe, or make a template of a sandbox."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        if ((file.orNull() == null) == (sandbox.orNull() == null)) {
            throw new UsageException("of what it is made is missing or there twice (expected: either --file or --from-sandbox)");
        }
        if (sandbox.orNull() != null && name.orNull() == null) {
            throw new UsageException("the name of the template is missing (expected: template create NAME --from-sandbox SANDBOX)");
        }
        Template recipe = file.orNull() == null ? null : RecipeFile.template(file.orEmpty(), name.orNull());
        try (Client client = client(console)) {
            TemplateStatus made = recipe == null
                    ? waiting(console, "Capturing " + sandbox.orEmpty(), () -> client.templates().capture(new CaptureTemplate(name.orEmpty(), sandbox.orEmpty(), description.orNull())))
                    : client.templates().create(recipe, replace.isSet());
            console.print(format.structured() ? Document.of(made, format, console) : TemplateText.line(made));
            return OK;
        }
    }
}
