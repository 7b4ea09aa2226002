package dev.sandglass.pool.image;

import dev.sandglass.linux.ChildProcess;
import dev.sandglass.pool.Program;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Runs mmdebstrap into a directory. It dies with this process, its children and mounts with it. */
final class Bootstrap {
    private static final List<String> PACKAGES = List.of(
            "bash",
            "ca-certificates",
            "coreutils",
            "curl",
            "git",
            "less",
            "ncurses-bin",
            "ncurses-term",
            "openssh-client",
            "openssh-server",
            "procps",
            "python-is-python3",
            "python3",
            "python3-pip",
            "python3-venv",
            "sudo",
            "xz-utils");
    private static final Duration TICK = Duration.ofMillis(500);
    private static final int KEPT_LINES = 200;
    private static final int SHOWN_LINES = 8;

    private final BuildInput input;
    private final Path root;
    private final Path log;
    private final Deque<String> lastLines = new ArrayDeque<>();
    private volatile String phase = "starting mmdebstrap";

    Bootstrap(BuildInput input, Path root, Path log) {
        this.input = input;
        this.root = root;
        this.log = log;
    }

    /** Runs to the end and tells of the phase about each second. */
    void run(Consumer<String> progress) throws IOException {
        for (String program : List.of("mmdebstrap", "unshare", "setpriv")) {
            if (Program.find(program).isEmpty()) {
                throw ImageFailure.notBuilt(
                        program + " is not installed", "Install it with `apt-get install mmdebstrap util-linux`.", null);
            }
        }
        CompletableFuture<Integer> status = new CompletableFuture<>();
        // A platform thread: the kernel ends the process when the thread that started it ends.
        Thread worker = Thread.ofPlatform().name("image-build").start(() -> {
            try {
                status.complete(execute());
            } catch (IOException | InterruptedException | RuntimeException problem) {
                status.completeExceptionally(problem);
            }
        });
        await(worker, progress);
        if (status.isCompletedExceptionally()) {
            throw new IOException(status.exceptionNow());
        }
        int exit = status.resultNow();
        if (exit != 0) {
            String reason = reason();
            String hint = reason.contains("No space left on device")
                    ? "Make room on the disk of the data directory"
                    : "Check the network and the apt sources of this host (`apt-get update`)";
            throw ImageFailure.notBuilt(
                    "mmdebstrap ended with " + exit + ":\n" + reason, hint + "; the whole log is in " + log + ".", null);
        }
    }

    private void await(Thread worker, Consumer<String> progress) throws IOException {
        try {
            do {
                progress.accept(phase);
            } while (!worker.join(TICK));
        } catch (InterruptedException interrupted) {
            worker.interrupt();
            joinUninterruptibly(worker);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the build was interrupted");
        }
    }

    private static void joinUninterruptibly(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private int execute() throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command()).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
        builder.environment().merge("PATH", ":/usr/sbin:/sbin", String::concat);
        Process process = ChildProcess.start(builder);
        Thread reader = Thread.ofPlatform().name("image-build-log").start(() -> record(process));
        try {
            process.getOutputStream().close();
            return process.waitFor();
        } finally {
            process.destroyForcibly();
            // Its output ends when the last process of the build has ended.
            joinUninterruptibly(reader);
        }
    }

    private void record(Process process) {
        try (BufferedReader lines = process.inputReader();
                BufferedWriter writer = Files.newBufferedWriter(log)) {
            for (String raw = lines.readLine(); raw != null; raw = lines.readLine()) {
                String line = AptSource.withoutSecrets(raw);
                writer.write(line);
                writer.newLine();
                writer.flush();
                note(line);
            }
        } catch (IOException ended) {
            note("E: the log could not be written: " + ended.getMessage());
        }
    }

    private void note(String line) {
        if (line.startsWith("I: ")) {
            phase = line.contains("--customize-hook")
                    ? "adding the user and the host's certificates"
                    : line.substring(3).replaceAll("\\.+$", "");
        }
        synchronized (lastLines) {
            lastLines.add(line);
            if (lastLines.size() > KEPT_LINES) {
                lastLines.remove();
            }
        }
    }

    /** The last lines that tell of errors, or just the last ones. */
    private String reason() {
        List<String> lines;
        synchronized (lastLines) {
            lines = lastLines.stream().filter(line -> !line.isBlank()).toList();
        }
        List<String> errors =
                lines.stream().filter(line -> line.matches("(E|Err|W):.*|.*(error|failed|Failed).*")).toList();
        List<String> shown = errors.isEmpty() ? lines : errors;
        return String.join("\n", shown.subList(Math.max(0, shown.size() - SHOWN_LINES), shown.size()));
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                // Its own process and mount namespaces: when the first process ends, so does all that it left.
                "setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--mount-proc", "--kill-child", "mmdebstrap"));
        command.addAll(List.of(
                "--verbose",
                "--mode=root",
                "--variant=minbase",
                "--format=directory",
                "--include=" + String.join(",", PACKAGES),
                // The directories above the root may be closed to apt's own user; inside, its capabilities are missing.
                "--aptopt=APT::Sandbox::User \"root\"",
                "--aptopt=Acquire::Languages \"none\"",
                "--aptopt=Acquire::Retries \"2\"",
                "--dpkgopt=force-unsafe-io",
                "--dpkgopt=path-exclude=/usr/share/doc/*",
                "--dpkgopt=path-include=/usr/share/doc/*/copyright",
                "--dpkgopt=path-exclude=/usr/share/locale/*",
                "--customize-hook=sh " + quoted(input.script()) + " \"$1\" " + quoted(input.certificates()),
                input.suite(),
                root.toString(),
                input.sourcesList().toString()));
        return command;
    }

    private static String quoted(Path path) {
        return "'" + path.toString().replace("'", "'\\''") + "'";
    }
}
