package dev.sandglass.bench.raw;

import dev.sandglass.bench.Contender;
import dev.sandglass.bench.Content;
import dev.sandglass.bench.Laps;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Results.Part;
import dev.sandglass.bench.report.Results.Who;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Podman on the same image, with an overlay of its own above it. */
public final class Podman implements Contender {
    public static final Who WHO = new Who("podman", "container", Part.BESIDE);
    private static final String FILE = "/workspace/bench";

    private final Path directory;
    private final Path image;
    private final Program program;
    private final AtomicInteger count = new AtomicInteger();
    private final Set<String> running = ConcurrentHashMap.newKeySet();

    public Podman(Area area) throws IOException {
        this.directory = Files.createDirectories(area.trees().resolve("podman"));
        this.image = area.image();
        this.program = new Program(directory.resolve("log"));
    }

    @Override
    public Who who() {
        return WHO;
    }

    @Override
    public void life(Laps laps) throws IOException {
        long begun = System.nanoTime();
        program.run(container(List.of("--rm"), "true"));
        laps.lap(Measure.LIFE, System.nanoTime() - begun);
    }

    @Override
    public Running start() throws IOException {
        String name = "bench-" + count.incrementAndGet();
        running.add(name);
        program.run(container(List.of("--detach", "--name", name), "sleep", "infinity"));
        return new Lent(new Commands(name), () -> end(name));
    }

    private void end(String name) throws IOException {
        if (running.remove(name)) {
            program.run(podman("rm", "--force", "--time", "0", name));
        }
    }

    @Override
    public void close() throws IOException {
        for (String name : running) {
            end(name);
        }
    }

    private List<String> container(List<String> options, String... argv) {
        List<String> command = podman("run", "--network", "none", "--log-driver", "none", "--cgroups", "disabled", "--ulimit", "nofile=1024:1024",
                "--ulimit", "nproc=1024:1024");
        command.addAll(options);
        command.addAll(List.of("--rootfs", image + ":O"));
        command.addAll(List.of(argv));
        return command;
    }

    /** Everything that it keeps is in the bench's own directory. */
    private List<String> podman(String... words) {
        List<String> command = new ArrayList<>(List.of("podman", "--cgroup-manager", "cgroupfs", "--events-backend", "none"));
        command.addAll(List.of("--root", directory.resolve("root").toString()));
        command.addAll(List.of("--runroot", directory.resolve("run").toString()));
        command.addAll(List.of(words));
        return command;
    }

    private final class Commands implements Lent.Commands {
        private final String name;

        Commands(String name) {
            this.name = name;
        }

        @Override
        public void exec() throws IOException {
            program.run(podman("exec", name, "true"));
        }

        @Override
        public void write(Content content) throws IOException {
            program.feed(podman("exec", "--interactive", name, "sh", "-c", "cat >" + FILE), content);
        }

        @Override
        public long read() throws IOException {
            return program.drain(podman("exec", name, "cat", FILE));
        }
    }
}
