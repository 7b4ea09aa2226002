package dev.sandglass.cli;

import dev.sandglass.cli.attach.Attachment;
import dev.sandglass.client.daemon.Client;
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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Copies of one state that try the same command at once. What is not kept of them is removed, also when this process is told to end. */
final class Race {
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
        try (Copies all = new Copies(client.again(), console)) {
            List<Sandbox> copies = Verb.waiting(console, "Forking " + source, () -> client.fork(source, request).sandboxes());
            all.are(copies);
            List<RaceEntry> entries = IntStream.range(0, copies.size()).mapToObj(i -> new RaceEntry(i + 1, copies.get(i))).toList();
            Optional<RaceEntry> winner = compete(entries);
            winner.ifPresent(best -> all.keep(best.sandbox()));
            return entries.stream().map(entry -> entry.result(winner.filter(best -> best == entry).isPresent())).toList();
        }
    }

    /** Without a score the first success ends it; the others are not waited for. */
    private Optional<RaceEntry> compete(List<RaceEntry> entries) {
        ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("race-", 1).factory());
        ExecutorCompletionService<RaceEntry> tries = new ExecutorCompletionService<>(threads);
        try (RaceView view = new RaceView(console, entries)) {
            entries.forEach(entry -> tries.submit(() -> attempt(entry, view), entry));
            for (int i = 0; i < entries.size(); i++) {
                RaceEntry next = tries.take().get();
                if (score.isEmpty() && next.succeeded()) {
                    entries.forEach(RaceEntry::beaten);
                    return Optional.of(next);
                }
            }
            return entries.stream().filter(one -> one.succeeded() && one.score() != null).max(Comparator.comparingDouble(Race::points));
        } catch (ExecutionException problem) {
            throw problem.getCause() instanceof RuntimeException known ? known : new IllegalStateException(problem.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            threads.shutdownNow();
        }
    }

    private static double points(RaceEntry entry) {
        Double points = entry.score();
        return points == null ? 0 : points;
    }

    private void attempt(RaceEntry entry, RaceView view) {
        Map<String, String> number = Map.of("SANDGLASS_BRANCH", String.valueOf(entry.branch()));
        String copy = entry.sandbox().id();
        Integer exit = null;
        Double points = null;
        try (Client own = client.again(); OutputStream shown = view.output(entry)) {
            StartCommand request = new StartCommand(argv, number, null, null, null, null, true, timeoutMillis);
            Exit ended = new Attachment(own, copy, own.start(copy, request).id(), shown, shown).await();
            exit = ended == null ? null : ended.code();
            if (exit != null && exit == 0 && score.isPresent()) {
                entry.scoring();
                CommandResult scored = own.run(copy, new RunCommand(Shell.line(score.get()), number, null, null, null, timeoutMillis, null));
                points = scored.exit().code() == 0 ? number(scored.stdout()) : null;
            }
        } catch (IOException closed) {
            throw new UncheckedIOException(closed);
        } catch (SandglassException problem) {
            view.problem(entry, problem.what());
        }
        entry.ended(exit, points);
    }

    private static @Nullable Double number(String text) {
        try {
            double points = Double.parseDouble(text.strip());
            return Double.isFinite(points) ? points : null;
        } catch (NumberFormatException none) {
            return null;
        }
    }
}
