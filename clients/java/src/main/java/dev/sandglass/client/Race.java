package dev.sandglass.client;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Copies that try something at once. Whatever happens, none is left but the one that won. */
final class Race {
    private final List<Sandbox> copies;
    private final Attempt attempt;
    private final RaceOptions options;
    private final long begun = System.nanoTime();

    Race(List<Sandbox> copies, Attempt attempt, RaceOptions options) {
        this.copies = copies;
        this.attempt = attempt;
        this.options = options;
    }

    RaceResult run() {
        ExecutorService threads = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "race");
            thread.setDaemon(true);
            return thread;
        });
        ExecutorCompletionService<RaceBranch> tries = new ExecutorCompletionService<>(threads);
        Sandbox winner = null;
        try {
            List<RaceBranch> branches = new ArrayList<>();
            for (int i = 0; i < copies.size(); i++) {
                int branch = i + 1;
                branches.add(branch(branch, "beaten", null, null));
                tries.submit(() -> attempt(branch));
            }
            Optional<RaceBranch> best = best(tries, branches);
            winner = best.map(each -> copies.get(each.branch() - 1)).orElse(null);
            return new RaceResult(Optional.ofNullable(winner), branches.stream().map(each -> each.kept(best.isPresent() && best.get().branch() == each.branch())).toList());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.INTERNAL, "Interrupted during a race", "Its copies are destroyed; run it again.", stopped);
        } catch (ExecutionException bug) {
            throw new IllegalStateException(bug.getCause());
        } finally {
            threads.shutdownNow();
            destroyAllBut(winner);
        }
    }

    /** Without a score the first success ends it; the others are not waited for. */
    private Optional<RaceBranch> best(ExecutorCompletionService<RaceBranch> tries, List<RaceBranch> branches) throws InterruptedException, ExecutionException {
        for (int i = 0; i < copies.size(); i++) {
            RaceBranch ended = tries.take().get();
            branches.set(ended.branch() - 1, ended);
            if (options.score == null && ended.succeeded()) {
                return Optional.of(ended);
            }
        }
        return branches.stream().filter(each -> each.score() != null).max(Comparator.comparing(RaceBranch::score));
    }

    private RaceBranch attempt(int branch) {
        Sandbox copy = copies.get(branch - 1);
        try {
            CommandResult result = attempt.in(copy, branch, run -> options.settle(run, branch));
            boolean fine = result.exitCode() == 0;
            return branch(branch, fine ? "succeeded" : "failed", result, fine && options.score != null ? score(copy, branch, options.score) : null);
        } catch (Exception problem) {
            String told = String.valueOf(problem.getMessage());
            return branch(branch, "failed", null, null, told);
        }
    }

    private @Nullable Double score(Sandbox copy, int branch, String line) {
        CommandResult scored = copy.commands().run(line, run -> options.settle(run, branch));
        try {
            double points = Double.parseDouble(scored.stdout().strip());
            return scored.exitCode() == 0 && Double.isFinite(points) ? points : null;
        } catch (NumberFormatException none) {
            return null;
        }
    }

    private RaceBranch branch(int branch, String outcome, @Nullable CommandResult result, @Nullable Double score) {
        return branch(branch, outcome, result, score, result == null ? "" : result.stderr());
    }

    private RaceBranch branch(int branch, String outcome, @Nullable CommandResult result, @Nullable Double score, String stderr) {
        Sandbox copy = copies.get(branch - 1);
        Integer code = result == null ? null : result.exitCode();
        return new RaceBranch(branch, copy.sandboxId(), copy.name(), outcome, code, score, (System.nanoTime() - begun) / 1_000_000, result == null ? "" : result.stdout(), stderr, false);
    }

    /** An interrupted thread could not even connect. */
    private void destroyAllBut(@Nullable Sandbox winner) {
        boolean interrupted = Thread.interrupted();
        copies.stream().filter(copy -> copy != winner).forEach(Sandbox::kill);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
