package dev.sandglass.cli;

import dev.sandglass.cli.attach.Attachment;
import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Waiting;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.RaceBranch;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StartCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Copies of one state that try the same command at once. Once they are made, what is not kept is removed, also when this process is told to end. */
final class Race {
    /** How one of them fared. */
    private record Try(int branch, Sandbox sandbox, @Nullable Integer exit, @Nullable Double score, long ms) {
        boolean succeeded() {
            return exit != null && exit == 0;
        }
    }

    private final Console console;
    private final Client client;
    private final List<String> argv;
    private final Optional<String> score;
    private final @Nullable Long timeoutMillis;

    Race(Console console, Client client, List<String> argv, Optional<String> score, @Nullable Long timeoutMillis) {
        this.console = console;
        this.client = client;
        this.argv = argv;
        this.score = score;
        this.timeoutMillis = timeoutMillis;
    }

    List<RaceBranch> run(String source, ForkSandbox request) {
        List<Sandbox> copies = fork(source, request);
        List<Throwaway> goners = copies.stream().map(copy -> new Throwaway(client.again(), copy.name(), console)).toList();
        Optional<Try> winner = Optional.empty();
        List<Try> ended = new ArrayList<>();
        try {
            winner = compete(copies, ended);
        } finally {
            for (int i = 0; i < copies.size(); i++) {
                if (winner.isPresent() && winner.get().branch() == i + 1) {
                    goners.get(i).keep();
                } else {
                    goners.get(i).close();
                }
            }
        }
        return branches(copies, ended, winner);
    }

    private List<Sandbox> fork(String source, ForkSandbox request) {
        try (Waiting _ = new Waiting(console.err(), console.terminal(Console.ERR), "Forking " + source)) {
            return client.fork(source, request).sandboxes();
        }
    }

    /** Without a score the first success ends it; the others are not waited for. */
    private Optional<Try> compete(List<Sandbox> copies, List<Try> ended) {
        ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("race-", 1).factory());
        ExecutorCompletionService<Try> tries = new ExecutorCompletionService<>(threads);
        try (Waiting waiting = new Waiting(console.err(), console.terminal(Console.ERR), "Racing " + copies.size())) {
            for (int i = 0; i < copies.size(); i++) {
                int branch = i + 1;
                Sandbox copy = copies.get(i);
                tries.submit(() -> attempt(branch, copy));
            }
            for (int i = 0; i < copies.size(); i++) {
                Try next = tries.take().get();
                ended.add(next);
                waiting.step(ended.size() + " ended, " + ended.stream().filter(Try::succeeded).count() + " succeeded");
                if (score.isEmpty() && next.succeeded()) {
                    return Optional.of(next);
                }
            }
            return ended.stream().filter(one -> one.succeeded() && one.score() != null).max(Comparator.comparingDouble(one -> one.score() == null ? 0 : one.score()));
        } catch (ExecutionException problem) {
            throw problem.getCause() instanceof RuntimeException known ? known : new IllegalStateException(problem.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            threads.shutdownNow();
        }
    }

    private Try attempt(int branch, Sandbox copy) {
        long begun = System.nanoTime();
        Map<String, String> number = Map.of("SANDGLASS_BRANCH", String.valueOf(branch));
        LabelledOutput output = new LabelledOutput(branch + " | ", console.err());
        Integer exit = null;
        Double points = null;
        try (Client own = client.again()) {
            StartCommand request = new StartCommand(argv, number, null, null, null, null, true, timeoutMillis);
            OutputStream shown = new LabelledStream(output, client);
            Exit ended = new Attachment(own, copy.id(), own.start(copy.id(), request).id(), shown, shown).await();
            shown.close();
            exit = ended == null ? null : ended.code();
            if (exit != null && exit == 0 && score.isPresent()) {
                CommandResult scored = own.run(copy.id(), new RunCommand(Shell.line(score.get()), number, null, null, null, timeoutMillis, null));
                points = scored.exit().code() == 0 ? number(scored.stdout()) : null;
            }
        } catch (IOException closed) {
            throw new UncheckedIOException(closed);
        } catch (SandglassException problem) {
            console.warn(branch + " | " + problem.what() + "\n");
        }
        return new Try(branch, copy, exit, points, (System.nanoTime() - begun) / 1_000_000);
    }

    private static @Nullable Double number(String text) {
        try {
            double points = Double.parseDouble(text.strip());
            return Double.isFinite(points) ? points : null;
        } catch (NumberFormatException none) {
            return null;
        }
    }

    private static List<RaceBranch> branches(List<Sandbox> copies, List<Try> ended, Optional<Try> winner) {
        List<RaceBranch> all = new ArrayList<>();
        for (int i = 0; i < copies.size(); i++) {
            int branch = i + 1;
            Sandbox copy = copies.get(i);
            Optional<Try> mine = ended.stream().filter(one -> one.branch() == branch).findFirst();
            String outcome = mine.isEmpty() ? "beaten" : mine.get().succeeded() ? "succeeded" : "failed";
            all.add(new RaceBranch(
                    branch,
                    copy.id(),
                    copy.name(),
                    outcome,
                    mine.map(Try::exit).orElse(null),
                    mine.map(Try::score).orElse(null),
                    mine.map(Try::ms).orElse(0L),
                    winner.filter(one -> one.branch() == branch).isPresent()));
        }
        return all;
    }
}
