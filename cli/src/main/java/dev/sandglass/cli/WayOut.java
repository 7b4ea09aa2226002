package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.NetworkAttempt;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.PolicyRule;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.SandglassException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** The last part of the demo: what a sandbox is kept from, the one step that opens it, and a secret that it uses and never sees. */
final class WayOut {
    private static final long MEMORY_MB = 256;
    private static final String HEADER = "X-Demo-Key";
    private static final int SECRET_BYTES = 16;
    private static final int MOST_ATTEMPTS = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(20);

    /** A host that this machine uses itself, so that it is there on a machine that reaches little else. */
    private static final String REGISTRY = "grep -rhoE '^[^#]*https?://[^/ ]+' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | sed 's#.*//##; s#:.*##' | grep -m 1 '[.]'";

    private final Console console;
    private final Client client;
    private final DemoSteps steps;

    WayOut(Console console, Client client, DemoSteps steps) {
        this.console = console;
        this.client = client;
        this.steps = steps;
    }

    /** @param name what the names of all that it makes begin with */
    void show(String name) {
        String sandbox = name + "-closed";
        String credential = name + "-key";
        try (Throwaway _ = new Throwaway(client.again(), sandbox, console); Throwaway _ = Throwaway.credential(client.again(), credential, console)) {
            steps.timed("Create a sandbox that may reach nothing", () -> client.create(closed(sandbox)));
            String host = run(sandbox, REGISTRY).stdout().strip();
            if (host.isEmpty()) {
                steps.note("The rest is skipped: the base image names no package registry that could be asked for something");
            } else if (opened(sandbox, host)) {
                withSecret(sandbox, host, credential);
            }
        }
    }

    private static CreateSandbox closed(String name) {
        return new CreateSandbox(
                name, null, null, MEMORY_MB, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                new NetworkPolicy(null, List.of(), "deny"), null, null, null, null, null, null, null);
    }

    /** Whether the host was refused, then opened, and answered. */
    private boolean opened(String sandbox, String host) {
        CommandResult refused = steps.timed("Ask for https://" + host + "/", () -> ask(sandbox, host));
        if (refused.exit().code() == 0) {
            throw new SandglassException(ErrorCode.INTERNAL, "What no rule allows was reached: " + host, "Do not use this installation.");
        }
        steps.note(refused.stderr());
        NetworkAttempt attempt = logged(sandbox, each -> each.allow() != null).orElseThrow(() -> new SandglassException(ErrorCode.INTERNAL, "The attempt is not in the log", "See `sandglass policy log`."));
        steps.note("policy log: DENIED " + PolicyLogVerb.what(attempt) + " (" + attempt.why() + ")");
        steps.timed("Open it: sandglass policy allow " + sandbox + " " + attempt.allow(), () -> client.addRule(sandbox, new PolicyRule("allow " + attempt.allow())));
        CommandResult answered = steps.timed("Ask again", () -> ask(sandbox, host));
        if (answered.exit().code() != 0) {
            steps.note(answered.stderr() + "\nThe rest is skipped: this machine itself does not reach its package registry");
            return false;
        }
        steps.note(answered.stdout());
        return true;
    }

    private void withSecret(String sandbox, String host, String credential) {
        byte[] random = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(random);
        String secret = HexFormat.of().formatHex(random);
        steps.timed("Keep a secret for requests to it, and grant it", () -> {
            client.credentials().create(new CreateCredential(credential, secret, "header", HEADER, null, null, null, host, null, null, null, null, null, null, null));
            return client.credentials().grant(sandbox, credential);
        });
        CommandResult answered = steps.timed("Ask with it", () -> run(sandbox, "curl -sS -v -m 30 -o /dev/null -w 'HTTP %{http_code}' https://" + host + "/"));
        String said = answered.stderr().lines().filter(line -> line.startsWith("> ") && line.length() > 2).map(line -> line.substring(2)).reduce((one, next) -> one + " | " + next).orElse("nothing");
        steps.note(answered.stdout() + ", the sandbox itself sent: " + said);
        logged(sandbox, each -> each.method() != null).ifPresent(attempt ->
                steps.note("policy log: allowed " + PolicyLogVerb.what(attempt) + ": the gateway looked into this one, and sent it on with " + HEADER));
        CommandResult seen = steps.timed("Look for it inside", () -> run(sandbox, "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /etc/sandglass/* /run/sandglass/name 2>/dev/null | tr '\\0' '\\n'"));
        if ((seen.stdout() + answered.stderr()).contains(secret)) {
            throw new SandglassException(ErrorCode.INTERNAL, "The sandbox has the secret", "Do not use this installation.");
        }
        steps.note("no variable, no command line and nothing that it sent or got has it");
    }

    private CommandResult ask(String sandbox, String host) {
        return run(sandbox, "curl -sS -m 30 -o /dev/null -w 'HTTP %{http_code}' https://" + host + "/");
    }

    private CommandResult run(String sandbox, String line) {
        return client.run(sandbox, new RunCommand(Shell.line(line), null, null, null, null, 60_000L, null));
    }

    /** The newest that fits; what went on is told of when it is over, a moment after its answer. */
    private Optional<NetworkAttempt> logged(String sandbox, Predicate<NetworkAttempt> wanted) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Optional<NetworkAttempt> found = Optional.empty();
        while (found.isEmpty() && System.nanoTime() < end) {
            found = client.attempts(sandbox, 0, MOST_ATTEMPTS).attempts().stream().filter(wanted).reduce((_, newer) -> newer);
            if (found.isEmpty()) {
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
        return found;
    }
}
