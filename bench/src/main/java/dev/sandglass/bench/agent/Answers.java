package dev.sandglass.bench.agent;

import dev.sandglass.bench.ProcessMemory;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Sandboxes of a template in which an agent is asked for its version. Closing it destroys what is left of them. Thread-safe. */
final class Answers implements AutoCloseable {
    private static final long TIMEOUT_MILLIS = 170_000;

    /** What an agent said, and how long it was from the wish for a sandbox until then. */
    record Answer(String text, String runtime, long nanos) {}

    private final Client client;
    private final Agent agent;
    private final CreateSandbox request;
    private final Set<String> alive = ConcurrentHashMap.newKeySet();

    Answers(Client client, Agent agent, String template, Map<String, String> labels) {
        this.client = client;
        this.agent = agent;
        this.request = CreateSandbox.from(template, labels);
    }

    /** Makes a sandbox, asks in it, and destroys it. */
    Answer once() throws IOException {
        try (Client own = client.again()) {
            long begun = System.nanoTime();
            Sandbox sandbox = create(own);
            String text = run(own, sandbox, agent.version());
            long taken = System.nanoTime() - begun;
            destroy(own, sandbox.id());
            return new Answer(text, sandbox.runtime(), taken);
        }
    }

    /** What the processes of one take in megabytes after it has answered, with its service if it has one. */
    double idleMegabytes() throws IOException {
        Sandbox sandbox = create(client);
        if (agent.ready().isPresent()) {
            run(client, sandbox, List.of("sh", "-c", agent.ready().get()));
        }
        run(client, sandbox, agent.version());
        double megabytes = ProcessMemory.megabytes(Set.of(sandbox.id()));
        destroy(client, sandbox.id());
        return megabytes;
    }

    private Sandbox create(Client with) {
        Sandbox sandbox = with.create(request);
        alive.add(sandbox.id());
        return sandbox;
    }

    private void destroy(Client with, String id) {
        with.destroy(id);
        alive.remove(id);
    }

    private static String run(Client with, Sandbox sandbox, List<String> argv) throws IOException {
        CommandResult result = with.run(sandbox.id(), new RunCommand(argv, null, null, null, null, TIMEOUT_MILLIS, null));
        if (result.exit().code() != 0) {
            throw new IOException(String.join(" ", argv) + " ended with " + result.exit() + ": " + result.stderr());
        }
        return result.stdout().strip();
    }

    @Override
    public void close() {
        alive.forEach(id -> destroy(client, id));
    }
}
