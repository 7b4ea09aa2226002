package dev.sandglass.bench;

import dev.sandglass.bench.network.Routed;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Results.Part;
import dev.sandglass.bench.report.Results.Who;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.http.Streamed;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A runtime of Sandglass, through its API on connections that are kept open. */
final class SandglassContender implements Capturing {
    static final String LABEL = "sandglass.bench";
    private static final String FILE = "/workspace/bench";

    /** A raw engine's memory is not limited; with less than the file and some the kernel would read it from the disk again. */
    private static final long ROOMY_MB = 2048;

    /** Starts a program without copying its own memory, as an agent does at best. */
    private static final String STARTS =
            """
            import os, sys, time
            for _ in range(int(sys.argv[1])):
                begun = time.perf_counter_ns()
                os.waitpid(os.posix_spawn('/usr/bin/true', ['true'], {}), 0)
                print(time.perf_counter_ns() - begun)
            """;

    private final Who who;
    private final String runtime;
    private final Client client;
    private final Set<String> alive = ConcurrentHashMap.newKeySet();

    SandglassContender(String runtime, Client client) {
        this.who = new Who("sandglass " + runtime, runtime, Part.OURS);
        this.runtime = runtime;
        this.client = client;
    }

    /** Takes away what a run that was killed has left. */
    static void sweep(Client client) {
        client.list().stream()
                .filter(sandbox -> sandbox.labels().containsKey(LABEL))
                .forEach(sandbox -> client.destroy(sandbox.id()));
        client.snapshots(false).stream()
                .filter(snapshot -> snapshot.labels().containsKey(LABEL))
                .forEach(snapshot -> client.deleteSnapshot(snapshot.id()));
    }

    @Override
    public Who who() {
        return who;
    }

    @Override
    public void life(Laps laps) throws IOException {
        long begun = System.nanoTime();
        String id = create(client, null).id();
        long created = System.nanoTime();
        runTrue(client, id);
        long ran = System.nanoTime();
        destroy(client, id);
        long ended = System.nanoTime();
        laps.lap(Measure.LIFE, ended - begun);
        laps.lap(Measure.CREATE, created - begun);
        laps.lap(Measure.FIRST, ran - created);
        laps.lap(Measure.DESTROY, ended - ran);
    }

    @Override
    public boolean captures() {
        return runtime.equals("gvisor");
    }

    @Override
    public HeldSandbox hold(Load load) throws IOException {
        return new HeldSandbox(client, runtime, Map.of(LABEL, "true"), load);
    }

    /** Starts a sandbox with a server that a route leads to. */
    Routed routed(InetSocketAddress door, Path runDir) throws IOException {
        return new Routed(client, runtime, !captures(), Map.of(LABEL, "true"), door, runDir);
    }

    /** The image that sandboxes get, found by making one. */
    String image() {
        Sandbox sandbox = create(client, null);
        destroy(client, sandbox.id());
        return sandbox.image();
    }

    @Override
    public Running start() {
        Client own = client.again();
        return new RunningSandbox(own, create(own, ROOMY_MB).id(), true);
    }

    /** The ids of what it has started and not ended. */
    Set<String> alive() {
        return Set.copyOf(alive);
    }

    @Override
    public void close() {
        try (Client last = client.again()) {
            alive.forEach(id -> destroy(last, id));
        } finally {
            client.close();
        }
    }

    private Sandbox create(Client with, @Nullable Long memoryMb) {
        Sandbox sandbox = with.create(CreateSandbox.of(runtime, memoryMb, Map.of(LABEL, "true")));
        alive.add(sandbox.id());
        return sandbox;
    }

    private void destroy(Client with, String id) {
        with.destroy(id);
        alive.remove(id);
    }

    private static void runTrue(Client with, String id) throws IOException {
        run(with, id, List.of("true"));
    }

    private static CommandResult run(Client with, String id, List<String> argv) throws IOException {
        CommandResult result = with.run(id, new RunCommand(argv, null, null, null, null, null, null));
        if (result.exit().code() != 0) {
            throw new IOException(argv.getFirst() + " ended with " + result.exit() + ": " + result.stderr());
        }
        return result;
    }

    private final class RunningSandbox implements Running {
        private final Client own;
        private final String id;
        private final boolean owner;

        RunningSandbox(Client own, String id, boolean owner) {
            this.own = own;
            this.id = id;
            this.owner = owner;
        }

        @Override
        public void exec() throws IOException {
            runTrue(own, id);
        }

        @Override
        public void write(Content content) {
            own.files().write(id, FILE, null, "644", null, new Streamed("application/octet-stream", content.length(), content::writeTo));
        }

        @Override
        public long read() throws IOException {
            try (InputStream body = own.files().read(id, FILE, null).body()) {
                return body.transferTo(OutputStream.nullOutputStream());
            }
        }

        @Override
        public List<Long> startsInside(int times) throws IOException {
            CommandResult result = run(own, id, List.of("python3", "-c", STARTS, Integer.toString(times)));
            return result.stdout().lines().map(Long::valueOf).toList();
        }

        @Override
        public Running beside() {
            return new RunningSandbox(own.again(), id, false);
        }

        @Override
        public void close() {
            try (own) {
                if (owner) {
                    destroy(own, id);
                }
            }
        }
    }
}
