package dev.sandglass.bench;

import dev.sandglass.bench.Contender.Running;
import dev.sandglass.bench.report.Figure;
import dev.sandglass.bench.report.Samples;
import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.client.Target;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Sandglass itself takes: the time of its start and of one call, the memory of the daemon. */
final class Footprint {
    private static final Pattern USED_HEAP = Pattern.compile("used (\\d+)K");
    private static final int CALLS = 9;
    private static final int STARTS = 3;
    private static final int SANDBOXES = 10;
    private static final int DEADLINE_SECONDS = 60;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final double KIBI = 1024;

    private final String launcher;
    private final long daemon;
    private final List<Figure> figures = new ArrayList<>();

    /** @param launcher the program {@code sandglass} */
    Footprint(String launcher, long daemon) {
        this.launcher = launcher;
        this.daemon = daemon;
    }

    List<Figure> measure(List<Contender> contenders) throws IOException {
        add("daemon: start to first answer", daemonStart(), "ms", 1500);
        add("`sandglass --help`", call("--help"), "ms", 100);
        add("`sandglass ls`", call("ls"), "ms", 150);
        add("daemon: heap in use, idle", heap(), "MB", 64);
        add("daemon: memory (RSS), idle", resident(), "MB", 320);
        for (Contender contender : contenders) {
            if (contender instanceof SandglassContender) {
                add("daemon: memory for each idle " + contender.who().family() + " sandbox", perSandbox(contender), "MB", 2);
            }
        }
        return figures;
    }

    private void add(String what, double value, String unit, double goal) {
        figures.add(new Figure(what, value, unit, goal));
    }

    /** By heap: the resident memory of a JVM says more about its collector. */
    private double perSandbox(Contender contender) throws IOException {
        double before = heap();
        List<Running> started = AtOnce.run(2, Collections.nCopies(SANDBOXES, contender::start));
        try {
            return Math.max(0, heap() - before) / SANDBOXES;
        } finally {
            for (Running running : started) {
                running.close();
            }
        }
    }

    private double resident() throws IOException {
        try (var lines = Files.lines(Path.of("/proc", Long.toString(daemon), "status"))) {
            String text = lines.filter(line -> line.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(text.replaceAll("[^0-9]", "")) / KIBI;
        }
    }

    private double heap() throws IOException {
        run(jcmd("GC.run"));
        Matcher used = USED_HEAP.matcher(run(jcmd("GC.heap_info")));
        if (!used.find()) {
            throw new IOException("jcmd does not tell the daemon's heap");
        }
        return Long.parseLong(used.group(1)) / KIBI;
    }

    private List<String> jcmd(String command) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(daemon), command);
    }

    private double call(String verb) throws IOException {
        Samples samples = new Samples();
        for (int i = 0; i < CALLS; i++) {
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
        for (int i = 0; i < STARTS; i++) {
            Path directory = Files.createTempDirectory("sandglass-bench-");
            command.clear();
            for (String word : line.split("\0")) {
                command.add(word.startsWith("-Dsandglass.data=") ? "-Dsandglass.data=" + directory.resolve("data") : word);
            }
            try {
                samples.add(started(command, directory));
            } finally {
                Trees.remove(directory);
            }
        }
        return samples.medianMillis();
    }

    private static long started(List<String> command, Path directory) throws IOException {
        Map<String, String> places = Map.of(
                "SANDGLASS_DATA_DIR", directory.resolve("data").toString(),
                "SANDGLASS_RUN_DIR", directory.resolve("run").toString(),
                "SANDGLASS_POOL", "copy",
                "SANDGLASS_LISTEN", "127.0.0.1:0");
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

    private static String run(List<String> command) throws IOException {
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
