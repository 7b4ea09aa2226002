package dev.sandglass.bench;

import dev.sandglass.bench.report.Figure;
import dev.sandglass.bench.report.Quantity;
import dev.sandglass.bench.report.Samples;
import dev.sandglass.bench.report.Size;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.http.Streamed;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What no raw engine does: snapshots of the disk, and snapshots as files. */
final class SnapshotFigures {
    private static final Map<String, String> LABELS = Map.of(SandglassContender.LABEL, "true");
    private static final int MOST_ROUNDS = 5;
    private static final int FEW = 10;
    private static final int COPIES = 8;
    private static final double MEBI = 1 << 20;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Client client;
    private final String runtime;
    private final int megabytes;
    private final int files;
    private final int rounds;
    private final List<Figure> figures = new ArrayList<>();

    SnapshotFigures(Client client, String runtime, Size size) {
        this.client = client;
        this.runtime = runtime;
        this.megabytes = size.fileMegabytes();
        this.files = size.files();
        this.rounds = Math.min(MOST_ROUNDS, size.calls());
    }

    List<Figure> measure(List<Contender> contenders) throws IOException {
        String few = sandbox();
        String many = sandbox();
        try {
            fill(few, FEW, 0);
            fill(many, files, megabytes);
            flat(few, many);
            unchanged(many);
            afterWriting(few);
            asFiles(few);
        } finally {
            client.destroy(few);
            client.destroy(many);
        }
        for (Contender contender : contenders) {
            if (contender instanceof SandglassContender own && own.captures()) {
                perCopy(own);
            }
        }
        return figures;
    }

    private void flat(String few, String many) throws IOException {
        Samples ofFew = new Samples();
        Samples ofMany = new Samples();
        for (int round = 0; round < rounds; round++) {
            ofFew.add(pause(few));
            ofMany.add(pause(many));
        }
        String times = files + " files and " + megabytes + " MB, beside " + FEW + " files";
        add(Quantity.FLAT_PAUSE, ofMany.medianMillis() / ofFew.medianMillis(), times);
    }

    private long pause(String sandbox) throws IOException {
        run(sandbox, "echo changed >> /workspace/0/0");
        Snapshot snapshot = capture(sandbox);
        client.deleteSnapshot(snapshot.id());
        return (long) (snapshot.pauseMs() * NANOS_PER_MILLI);
    }

    private void unchanged(String sandbox) {
        List<Snapshot> made = new ArrayList<>(List.of(capture(sandbox)));
        Samples samples = new Samples();
        for (int round = 0; round < rounds; round++) {
            long begun = System.nanoTime();
            made.add(capture(sandbox));
            samples.add(System.nanoTime() - begun);
        }
        made.forEach(snapshot -> client.deleteSnapshot(snapshot.id()));
        add(Quantity.UNCHANGED, samples.medianMillis());
    }

    private void afterWriting(String sandbox) throws IOException {
        Samples samples = new Samples();
        for (int round = 0; round < 2; round++) {
            run(sandbox, "head -c " + megabytes + "M /dev/zero | tr '\\0' x > /workspace/large");
            Snapshot snapshot = capture(sandbox);
            samples.add((long) (snapshot.pauseMs() * NANOS_PER_MILLI));
            client.deleteSnapshot(snapshot.id());
        }
        add(Quantity.PAUSE_AFTER_WRITING, samples.medianMillis(), megabytes);
    }

    /** Without the base image, which is neither plain nor small. */
    private void asFiles(String sandbox) throws IOException {
        run(sandbox, "find / -xdev -type f -size -1024k -print0 2>/dev/null | xargs -0 cat 2>/dev/null | head -c " + megabytes + "M > /workspace/large");
        Snapshot snapshot = capture(sandbox);
        Path directory = Files.createTempDirectory("sandglass-bench-");
        try {
            Path file = directory.resolve("file");
            double size = snapshot.totalBytes() / MEBI;
            long begun = System.nanoTime();
            try (OutputStream target = Files.newOutputStream(file)) {
                client.exportSnapshot(snapshot.id(), true).body().transferTo(target);
            }
            long written = System.nanoTime();
            Snapshot read = client.importSnapshot(null, new Streamed("application/octet-stream", Files.size(file), target -> Files.copy(file, target)));
            long ended = System.nanoTime();
            client.deleteSnapshot(read.id());
            add(Quantity.EXPORT, size * NANOS_PER_SECOND / (written - begun), Math.round(size));
            add(Quantity.IMPORT, size * NANOS_PER_SECOND / (ended - written));
        } finally {
            Trees.remove(directory);
            client.deleteSnapshot(snapshot.id());
        }
    }

    private void perCopy(SandglassContender contender) throws IOException {
        try (HeldSandbox held = contender.hold(new Capturing.Load(8, 1))) {
            held.capture();
            add(Quantity.FORK_MEMORY, held.memoryPerCopy(COPIES) / MEBI, COPIES);
        }
    }

    private void add(Quantity quantity, double value, Object... detail) {
        figures.add(quantity.figure(value, detail));
    }

    private String sandbox() {
        return client.create(CreateSandbox.of(runtime, null, LABELS)).id();
    }

    private Snapshot capture(String sandbox) {
        return client.snapshot(sandbox, new CreateSnapshot(null, null, LABELS, true, null));
    }

    /** So many small files, and one large one of letters that are no zeros. */
    private void fill(String sandbox, int count, int megabytesOfOne) throws IOException {
        run(sandbox, "cd /workspace; for d in $(seq 0 99); do mkdir $d; for f in $(seq 0 " + (count / 100 - 1) + "); do echo $d $f > $d/$f; done; done;"
                + " mkdir -p 0; echo > 0/0; head -c " + megabytesOfOne + "M /dev/zero | tr '\\0' x > one; sync");
    }

    private void run(String sandbox, String script) throws IOException {
        CommandResult result = client.run(sandbox, new RunCommand(List.of("sh", "-c", script), null, null, null, null, null, null));
        if (result.exit().code() != 0) {
            throw new IOException(script + " ended with " + result.exit() + ": " + result.stderr());
        }
    }
}
