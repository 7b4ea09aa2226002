package dev.sandglass.cli;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildOutput;
import dev.sandglass.wire.BuildStep;
import dev.sandglass.wire.FleetResult;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One machine on its way, and what became of it. Thread-safe. */
final class FleetRow {
    private static final String FAILED = "failed";

    /** How far it is; what people want to see first comes first. */
    enum Rank {
        AT_WORK,
        FAILED,
        WAITS,
        DONE;

        boolean isOver() {
            return this == FAILED || this == DONE;
        }
    }

    /** A row as it is at one moment. */
    record Shown(Rank rank, String text) {}

    private final String name;
    private final String machine;
    private final Consumer<String> told;
    private @Nullable String id;
    private String step = "";
    private String said = "";
    private String outcome = "";
    private @Nullable String note;
    private @Nullable SandglassException problem;
    private long begun;
    private long millis;

    /**
     * @param machine the name of its entry
     * @param told gets a line after each change
     */
    FleetRow(String name, String machine, Consumer<String> told) {
        this.name = name;
        this.machine = machine;
        this.told = told;
    }

    synchronized void begin() {
        begun = System.nanoTime();
    }

    synchronized void is(String itsId) {
        id = itsId;
    }

    /** What is being done. */
    void step(String now) {
        synchronized (this) {
            if (now.equals(step)) {
                return;
            }
            step = now;
            said = "";
        }
        told.accept(name + ": " + now);
    }

    /** Which step of a build is being done. */
    void step(Build build) {
        List<BuildStep> steps = build.steps();
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).state().equals("running")) {
                step("[" + (i + 1) + "/" + steps.size() + "] " + steps.get(i).name());
            }
        }
    }

    /** What it printed last. */
    synchronized void said(BuildOutput output) {
        output.text().lines().filter(line -> !line.isBlank()).forEach(line -> said = line);
    }

    void over(String end, @Nullable String why) {
        String line;
        synchronized (this) {
            outcome = end;
            note = why;
            millis = sinceBegun();
            line = name + ": " + end + " (" + seconds() + " s)" + (why == null ? "" : ": " + why);
        }
        told.accept(line);
    }

    void failed(SandglassException why) {
        synchronized (this) {
            problem = why;
        }
        over(FAILED, why.what().lines().findFirst().orElse(""));
    }

    synchronized @Nullable SandglassException problem() {
        return problem;
    }

    synchronized boolean ended(String how) {
        return outcome.equals(how);
    }

    /** For people. */
    synchronized Shown shown(int width) {
        Rank rank = rank();
        String now = rank.isOver() ? outcome : rank == Rank.WAITS ? "waits" : step;
        String time = rank == Rank.WAITS ? "" : seconds() + " s";
        return new Shown(rank, String.format(Locale.ROOT, "%-" + width + "s  %8s  %s", name, time, now) + (rank == Rank.AT_WORK && !said.isEmpty() ? "  " + said : ""));
    }

    private Rank rank() {
        if (outcome.isEmpty()) {
            return begun == 0 ? Rank.WAITS : Rank.AT_WORK;
        }
        return outcome.equals(FAILED) ? Rank.FAILED : Rank.DONE;
    }

    synchronized FleetResult result() {
        return new FleetResult(name, id, machine, outcome, problem == null ? note : null, millis, problem == null ? null : problem.toProblem());
    }

    String name() {
        return name;
    }

    private String seconds() {
        return String.format(Locale.ROOT, "%.1f", (outcome.isEmpty() ? sinceBegun() : millis) / 1000.0);
    }

    private long sinceBegun() {
        return begun == 0 ? 0 : (System.nanoTime() - begun) / 1_000_000;
    }
}
