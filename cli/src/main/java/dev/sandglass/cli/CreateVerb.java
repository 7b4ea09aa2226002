package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Sandbox;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code create}: a new sandbox that stays until it is removed. */
@Command(name = "sandglass create", sortOptions = false, description = "Make a sandbox. It runs until it is removed.")
final class CreateVerb extends Verb {
    @Mixin
    SandboxOptions sandbox = new SandboxOptions();

    @Option(names = {"-e", "--env"}, paramLabel = "NAME=VALUE", description = "An environment variable of all its commands; may be repeated.")
    List<String> env = new ArrayList<>();

    @Option(names = {"-q", "--quiet"}, description = "Print the id and nothing else.")
    boolean quiet;

    @Override
    int run(Console console) {
        Format format = format(console);
        String name = sandbox.name == null ? "" : sandbox.name;
        try (Client client = client(console)) {
            Sandbox created = client.create(sandbox.request(name, env, console.environment()));
            warnings(console, created);
            if (quiet) {
                console.print(Inert.text(created.id()) + "\n");
            } else if (format == Format.JSON) {
                console.print(JsonText.of(created, console));
            } else {
                console.print(Inert.text(created.name()) + "   " + Inert.text(created.id()) + "\n");
            }
            return OK;
        }
    }

    /** Tells what the daemon changed in the request. */
    static void warnings(Console console, Sandbox created) {
        for (String warning : created.warnings()) {
            console.warn("warning: " + Inert.text(warning) + "\n");
        }
    }
}
