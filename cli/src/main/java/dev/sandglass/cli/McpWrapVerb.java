package dev.sandglass.cli;

import dev.sandglass.cli.attach.Attachment;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.RunSandbox;
import dev.sandglass.wire.StartCommand;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code mcp wrap}: an MCP server in a sandbox of its own, joined to the standard streams of this process. */
final class McpWrapVerb extends Verb {
    private final SandboxOptions options = new SandboxOptions(syntax);
    private final Syntax.Value workdir = syntax.value("DIR", "Where the server runs; as the sandbox says if absent, else the user's home.", "-w", "--workdir");
    private final Syntax.Values env = syntax.values("NAME=VALUE", "An environment variable; may be repeated.", "-e", "--env");
    private final Syntax.Values envFiles = syntax.values("FILE", "A file of NAME=VALUE lines; may be repeated.", "--env-file");
    private final Syntax.Value user = syntax.value("USER", "Name, uid, name:group or uid:gid; as the sandbox says if absent, else root.", "-u", "--user");
    private final Syntax.Values words = syntax.operands(0, 1, "COMMAND", "");
    private boolean explicit;

    McpWrapVerb() {
        super(new Syntax(
                "mcp wrap",
                "Run an MCP server that speaks on standard input and output in a new sandbox, and speak for it here: a",
                "client starts this in the place of the server. The sandbox goes with the server, the end of the input",
                "or this program; with --name it is kept. What the server may reach is what --allow and --network say.",
                "").printing("json or yaml: so errors are told; the protocol is the server's."));
        syntax.synopsis("[OPTIONS] [--] COMMAND [ARGUMENT...]");
    }

    @Override
    String[] prepare(CommandSpec spec, String[] args) {
        CommandWords split = CommandWords.split(spec, 0, args);
        explicit = split.explicit();
        return split.args().toArray(new String[0]);
    }

    @Override
    boolean outputIsData() {
        return true;
    }

    @Override
    int exitCode(Failure failure) {
        return CommandVerb.codeOf(failure);
    }

    @Override
    int run(Console console) {
        @Nullable Map<String, String> variables = Pairs.environment(envFiles.all(), env.all(), console.environment());
        List<String> argv = words.all().size() == 1 && !explicit ? Shell.line(words.all().getFirst()) : words.all();
        StartCommand server = new StartCommand(argv, null, workdir.orNull(), user.orNull(), null, true, true, null);
        RunSandbox request = new RunSandbox(options.request(options.name(), variables), server, null);
        try (Client client = client(console)) {
            return JoinedCommand.run(console, (signals, stdout, stderr) -> {
                if (!options.name().isEmpty()) {
                    signals.hold();
                }
                Attachment.Begun begun = Attachment.run(client, request, stdout, stderr);
                CreateVerb.warnings(console, begun.sandbox());
                return begun.attachment();
            }, server);
        }
    }
}
