package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.HealthCheck;
import dev.sandglass.wire.Service;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code service create}: a command that a sandbox supervises. */
final class ServiceCreateVerb extends ServiceVerb {
    private static final int OPERANDS = 2;

    private final Syntax.Value workdir = syntax.value("DIR", "Where it runs, absolute; the user's home if absent.", "-w", "--workdir", "--cwd");
    private final Syntax.Values env = syntax.values("NAME=VALUE", "An environment variable; may be repeated.", "-e", "--env");
    private final Syntax.Values envFiles = syntax.values("FILE", "A file of NAME=VALUE lines; may be repeated.", "--env-file");
    private final Syntax.Value user = syntax.value("USER", "Name, uid, name:group or uid:gid; root if absent.", "-u", "--user");
    private final Syntax.Value port = syntax.value("PORT", "Where it listens; it finds it in PORT.", "--port");
    private final Syntax.Value restart = syntax.value("RESTART", "When it is started again: never, on-failure or always; on-failure if absent.", "--restart");
    private final Syntax.Value maxRestarts = syntax.value("N", "At most so often in a minute, then it has failed; 10 if absent.", "--max-restarts");
    private final Syntax.Value backoff = syntax.value("TIME", "Wait so long before; grows to a minute while it keeps ending; 1s if absent.", "--backoff");
    private final Syntax.Value healthCommand = syntax.value("LINE", "It is well while this line of shell ends with 0.", "--health-command");
    private final Syntax.Value healthPath = syntax.value("PATH", "It is well while its port answers a request for this path.", "--health-path");
    private final Syntax.Flag healthTcp = syntax.flag("It is well while its port takes connections.", "--health-tcp");
    private final Syntax.Value healthInterval = syntax.value("TIME", "How often it is looked after; 10s if absent.", "--health-interval");
    private final Syntax.Value healthTimeout = syntax.value("TIME", "How long a look may take; 5s if absent.", "--health-timeout");
    private final Syntax.Value healthRetries = syntax.value("N", "So many failures in a row are too many; 3 if absent.", "--health-retries");
    private final Syntax.Values after = syntax.values("OTHER", "Start it after that one where both start; may be repeated.", "--after");
    private final Syntax.Value description = syntax.value("TEXT", "What it is.", "--description");
    private final Syntax.Flag noStart = syntax.flag("Do not start it now, but with the sandbox.", "--no-start");
    private final Syntax.Flag replace = syntax.flag("Take the place of one of that name.", "--replace");
    private final Syntax.Values words = syntax.operands(OPERANDS, 1, "COMMAND", "");
    private boolean explicit;

    ServiceCreateVerb() {
        super(new Syntax(
                "service create",
                "Have a sandbox supervise a command: it is started now and with the sandbox, also with every copy of",
                "its disk. One single word is a line for the login shell; several, or after --, are a program and",
                "its arguments.",
                ""));
        syntax.synopsis("[OPTIONS] SANDBOX SERVICE [--] COMMAND [ARGUMENT...]");
    }

    @Override
    String[] prepare(CommandSpec spec, String[] args) {
        CommandWords split = CommandWords.split(spec, OPERANDS, args);
        explicit = split.explicit();
        return split.args().toArray(new String[0]);
    }

    @Override
    Service service(Console console, Client client) {
        CreateService request = new CreateService(
                name.orEmpty(),
                words.all().size() == 1 && !explicit ? Shell.line(words.all().getFirst()) : List.copyOf(words.all()),
                description.orNull(),
                workdir.orNull(),
                Pairs.environment(envFiles.all(), env.all(), console.environment()),
                user.orNull(),
                count("port", port),
                restart.orNull(),
                count("max-restarts", maxRestarts),
                Amount.milliseconds("backoff", backoff.orNull()),
                health(),
                after.all().isEmpty() ? null : after.all(),
                noStart.isSet() ? false : null,
                replace.isSet() ? true : null);
        return waiting(console, "Starting " + name.orEmpty(), () -> client.services().create(sandbox.orEmpty(), request));
    }

    private @Nullable HealthCheck health() {
        HealthCheck check = new HealthCheck(
                healthCommand.orNull(),
                healthPath.orNull(),
                healthTcp.isSet() ? true : null,
                Amount.milliseconds("health-interval", healthInterval.orNull()),
                Amount.milliseconds("health-timeout", healthTimeout.orNull()),
                count("health-retries", healthRetries));
        return check.equals(new HealthCheck(null, null, null, null, null, null)) ? null : check;
    }

    private static @Nullable Integer count(String option, Syntax.Value value) {
        Long number = Amount.count(option, value.orNull());
        return number == null ? null : (int) Math.min(number, Integer.MAX_VALUE);
    }

    @Override
    boolean starts() {
        return true;
    }
}
