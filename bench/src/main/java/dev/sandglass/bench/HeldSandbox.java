package dev.sandglass.bench;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.StartCommand;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A sandbox of Sandglass that is captured. */
final class HeldSandbox implements Capturing.Held {
    private static final double NANOS_PER_MILLI = 1e6;

    private final Client client;
    private final String runtime;
    private final Map<String, String> labels;
    private final String id;
    private @Nullable Snapshot captured;

    HeldSandbox(Client client, String runtime, Map<String, String> labels, Capturing.Load load) throws IOException {
        this.client = client;
        this.runtime = runtime;
        this.labels = labels;
        this.id = client.create(CreateSandbox.of(runtime, null, labels)).id();
        client.start(id, new StartCommand(load.argv(), null, null, null, null, null, null, null));
        run(id, Capturing.Load.probe());
    }

    @Override
    public long capture() {
        forget();
        Snapshot made = client.snapshot(id, new CreateSnapshot(null, null, labels, false, null));
        captured = made;
        return (long) (made.pauseMs() * NANOS_PER_MILLI);
    }

    @Override
    public long copy() throws IOException {
        long begun = System.nanoTime();
        return used(begun, client.create(from(snapshot())).id());
    }

    private CreateSandbox from(Snapshot snapshot) {
        return new CreateSandbox(
                null, runtime, null, null, null, null, null, null, labels, null, null, null, null, null, null, null, snapshot.id(), null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    @Override
    public long fork() throws IOException {
        long begun = System.nanoTime();
        return used(begun, copiesOf(id, 1).getFirst().id());
    }

    private long used(long begun, String copy) throws IOException {
        try {
            run(copy, List.of("true"));
            return System.nanoTime() - begun;
        } finally {
            client.destroy(copy);
        }
    }

    @Override
    public long copies(int count) {
        long begun = System.nanoTime();
        List<Sandbox> copies = copiesOf(snapshot().id(), count);
        long ran = System.nanoTime() - begun;
        copies.forEach(copy -> client.destroy(copy.id()));
        return ran;
    }

    /** How much memory one of so many copies has for itself, in bytes. */
    double memoryPerCopy(int count) {
        List<Sandbox> copies = copiesOf(snapshot().id(), count);
        try {
            return copies.stream().mapToLong(copy -> client.stats(copy.id()).now().memoryBytes()).average().orElseThrow();
        } finally {
            copies.forEach(copy -> client.destroy(copy.id()));
        }
    }

    private List<Sandbox> copiesOf(String source, int count) {
        return client.fork(source, new ForkSandbox(count, null, null, null, null, labels, null, null)).sandboxes();
    }

    private Snapshot snapshot() {
        Snapshot known = captured;
        if (known == null) {
            throw new IllegalStateException("nothing is captured");
        }
        return known;
    }

    private void run(String sandbox, List<String> argv) throws IOException {
        CommandResult result = client.run(sandbox, new RunCommand(argv, null, null, null, null, null, null));
        if (result.exit().code() != 0) {
            throw new IOException(argv.getFirst() + " ended with " + result.exit() + ": " + result.stderr());
        }
    }

    private void forget() {
        Snapshot known = captured;
        if (known != null) {
            captured = null;
            client.deleteSnapshot(known.id());
        }
    }

    @Override
    public void close() {
        forget();
        client.destroy(id);
    }
}
