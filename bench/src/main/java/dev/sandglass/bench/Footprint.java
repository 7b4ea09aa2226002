package dev.sandglass.bench;

import dev.sandglass.bench.report.Figure;
import dev.sandglass.bench.report.Quantity;
import dev.sandglass.bench.report.Samples;
import dev.sandglass.bench.report.Size;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Target;
import dev.sandglass.linux.MountTable;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What Sandglass itself takes: the time of its start and of one call, the memory of the daemon. */
final class Footprint {
    private static final int MOST_STARTS = 3;
    private static final int DEADLINE_SECONDS = 60;
    private static final long PAUSE_NANOS = 1_000_000;

    private final String launcher;
    private final long daemon;
    private final int calls;
    private final List<Figure> figures = new ArrayList<>();

    /** @param launcher the program {@code sandglass} */
    Footprint(String launcher, long daemon, Size size) {
        this.launcher = launcher;
        this.daemon = daemon;
        this.calls = size.calls();
    }

    List<Figure> measure(List<Contender> contenders) throws IOException {
        add(Quantity.START, daemonStart());
        add(Quantity.HELP, call("--help"));
        add(Quantity.LIST, call("ls"));
        DaemonMemory memory = new DaemonMemory(daemon);
        add(Quantity.HEAP, memory.heap());
        add(Quantity.RESIDENT, memory.resident());
        for (Contender contender : contenders) {
            if (contender instanceof SandglassContender own) {
                figures.addAll(new IdleSandboxes(own, memory).measure());
            }
        }
        return figures;
    }

    private void add(Quantity quantity, double value) {
        figures.add(quantity.figure(value));
    }

    private double call(String verb) throws IOException {
        Samples samples = new Samples();
        for (int i = 0; i < calls; i++) {
            long begun = System.nanoTime();
            run(List.of(launcher, verb));
            samples.add(System.nanoTime() - begun);
        }
        return samples.medianMillis();
    }

    /** Starts daemons like the running one on directories of their own, with nothing to take over. */
    private double daemonStart() throws IOException {
        List<String> command = new ArrayList<>();
        String line = Files.readString(Path.of("/proc", Long.toString(daemon), "cmdline"), StandardCharsets.UTF_8);
        Samples samples = new Samples();
        for (int i = 0; i < Math.min(MOST_STARTS, calls); i++) {
            Path directory = Files.createTempDirectory("sandglass-bench-");
            command.clear();
            for (String word : line.split("\0")) {
                command.add(word.startsWith("-Dsandglass.data=") ? "-Dsandglass.data=" + directory.resolve("data") : word);
            }
            try {
                samples.add(started(command, directory));
            } finally {
                remove(directory);
            }
        }
        return samples.medianMillis();
    }

    /** With the networks that it made ahead, which stay for a next daemon. */
    private static void remove(Path directory) throws IOException {
        for (Path mount : MountTable.under(directory.toRealPath())) {
            Mounts.detach(mount);
        }
        Trees.remove(directory);
    }

    private static long started(List<String> command, Path directory) throws IOException {
        Map<String, String> places = Map.of(
                "SANDGLASS_DATA_DIR", directory.resolve("data").toString(),
                "SANDGLASS_RUN_DIR", directory.resolve("run").toString(),
                "SANDGLASS_POOL", "copy",
                "SANDGLASS_LISTEN", "127.0.0.1:0",
                "SANDGLASS_ROUTE_LISTEN", "127.0.0.1:0");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile());
        builder.environment().putAll(places);
        long begun = System.nanoTime();
        Process process = builder.start();
        try {
            while (!answers(places)) {
                if (!process.isAlive() || System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS)) {
                    throw new IOException("A daemon for the bench did not start: " + Files.readString(directory.resolve("log")));
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return System.nanoTime() - begun;
        } finally {
            end(process);
        }
    }

    private static boolean answers(Map<String, String> places) {
        try (Client client = new Client(Target.find(null, null, null, places))) {
            client.status();
            return true;
        } catch (SandglassException notYet) {
            return false;
        }
    }

    private static void end(Process process) throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        }
    }

    /** Runs a program to its end and returns what it printed. */
    static String run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .start();
        try (InputStream output = process.getInputStream()) {
            String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + " failed: " + text);
            }
            return text;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        } finally {
            process.destroyForcibly();
        }
    }
}
