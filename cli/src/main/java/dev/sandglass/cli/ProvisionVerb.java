package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.Provision;
import dev.sandglass.wire.recipe.ComponentText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code provision}: components are installed in a sandbox, and verified. */
final class ProvisionVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of an id.");
    private final Syntax.Values components = syntax.values("NAMES", "Components and bundles, with commas between them; may be repeated.", "--components", "--component");
    private final Syntax.Value file = syntax.value("FILE", "A YAML file of components, or - for standard input; all that it lists, unless --components says which.", "-f", "--file");
    private final Syntax.Values set = syntax.values("NAME=VALUE", "A variable of a component, such as NODE_VERSION; may be repeated.", "--set");
    private final Syntax.Flag quiet = syntax.flag("Do not show what the steps print.", "-q", "--quiet");

    ProvisionVerb() {
        super(new Syntax("provision", "Install components in a sandbox and verify them. One that fails does not keep others from being installed."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        List<String> names = new ArrayList<>();
        components.all().forEach(list -> names.addAll(List.of(list.split(",")).stream().map(String::strip).filter(name -> !name.isEmpty()).toList()));
        ComponentText.Contents own = file.orNull() == null ? new ComponentText.Contents(List.of(), List.of(), List.of()) : RecipeFile.read(file.orEmpty(), console.in()).components();
        if (names.isEmpty()) {
            names.addAll(own.names());
        }
        if (names.isEmpty()) {
            throw new UsageException("what to install is missing (expected: --components or --file)");
        }
        Map<String, String> variables = Pairs.parse("set", set.all(), Map.of());
        Provision request = new Provision(names, own.components(), own.bundles(), variables);
        try (Client client = client(console)) {
            Build begun = client.builds().provision(sandbox.orEmpty(), request);
            return new BuildView(console, format, quiet.isSet()).show(client, begun);
        }
    }
}
