package dev.sandglass.cli;

import dev.sandglass.wire.RaceBranch;
import dev.sandglass.wire.Sandbox;
import org.jspecify.annotations.Nullable;

/** One of the copies in a race, and how it fares. Thread-safe. */
final class RaceEntry {
    /** How far it is; all but the first two are the end of it. */
    enum State {
        RUNNING,
        SCORING,
        SUCCEEDED,
        FAILED,
        BEATEN
    }

    private final int branch;
    private final Sandbox sandbox;
    private final long begun = System.nanoTime();
    private State state = State.RUNNING;
    private long millis;
    private String lastLine = "";
    private @Nullable Integer exit;
    private @Nullable Double score;

    RaceEntry(int branch, Sandbox sandbox) {
        this.branch = branch;
        this.sandbox = sandbox;
    }

    int branch() {
        return branch;
    }

    Sandbox sandbox() {
        return sandbox;
    }

    synchronized void said(String line) {
        lastLine = line;
    }

    synchronized void scoring() {
        state = state == State.RUNNING ? State.SCORING : state;
    }

    /** Its command has ended, unless it was beaten before that; an exit that is not known is a failure. */
    synchronized void ended(@Nullable Integer code, @Nullable Double points) {
        if (!isOver()) {
            exit = code;
            score = points;
            over(code != null && code == 0 ? State.SUCCEEDED : State.FAILED);
        }
    }

    /** Another has won; nothing if it has ended already. */
    synchronized void beaten() {
        if (!isOver()) {
            over(State.BEATEN);
        }
    }

    synchronized boolean isOver() {
        return state.compareTo(State.SCORING) > 0;
    }

    synchronized boolean succeeded() {
        return state == State.SUCCEEDED;
    }

    synchronized @Nullable Double score() {
        return score;
    }

    /** For people: its number, how far it is, for how long it has run, and what it said last. */
    synchronized String row() {
        long shown = isOver() ? millis : sinceBegun();
        String told = state == State.FAILED && exit != null ? "exited " + exit : word();
        return "%3d  %-10s  %6d.%d s  %s".formatted(branch, told, shown / 1000, shown % 1000 / 100, lastLine);
    }

    synchronized RaceBranch result(boolean kept) {
        return new RaceBranch(branch, sandbox.id(), sandbox.name(), word(), exit, score, isOver() ? millis : sinceBegun(), kept);
    }

    private String word() {
        return switch (state) {
            case RUNNING -> "running";
            case SCORING -> "scoring";
            case SUCCEEDED -> "succeeded";
            case FAILED -> "failed";
            case BEATEN -> "beaten";
        };
    }

    private void over(State end) {
        state = end;
        millis = sinceBegun();
    }

    private long sinceBegun() {
        return (System.nanoTime() - begun) / 1_000_000;
    }
}
