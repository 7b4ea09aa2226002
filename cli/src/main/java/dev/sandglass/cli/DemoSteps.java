package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import java.util.function.Supplier;

/** Steps as they are shown: what is done, how long it took, what came of it. */
final class DemoSteps {
    private static final int COLUMN = 70;

    private final Console console;
    private int count;

    DemoSteps(Console console) {
        this.console = console;
    }

    /** Shows the step before it begins, and its time after it has ended. */
    <T> T timed(String what, Supplier<T> work) {
        String title = " " + ++count + ". " + Inert.text(what);
        console.print("\n" + title);
        long begun = System.nanoTime();
        T result = work.get();
        String time = Math.max(1, (System.nanoTime() - begun) / 1_000_000) + " ms";
        StringBuilder line = new StringBuilder().repeat(' ', Math.max(2, COLUMN - title.length() - time.length()));
        line.append(console.styled() ? "\u001b[1m" + time + "\u001b[0m" : time);
        console.print(line.append('\n').toString());
        return result;
    }

    void note(String text) {
        StringBuilder lines = new StringBuilder();
        for (String line : text.strip().split("\n")) {
            lines.append("    ").append(Inert.text(line)).append('\n');
        }
        console.print(lines.toString());
    }
}
