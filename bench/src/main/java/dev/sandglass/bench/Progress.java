package dev.sandglass.bench;

import java.io.PrintStream;

/** One line on a terminal that says how far it is; nothing elsewhere. */
public record Progress(PrintStream terminal, boolean isTerminal) {
    private static final String BACK = "\r\u001b[K";

    public void show(String title, int done, int all) {
        if (isTerminal) {
            terminal.print(BACK + title + " " + done + "/" + all);
            terminal.flush();
        }
    }

    public void clear() {
        if (isTerminal) {
            terminal.print(BACK);
            terminal.flush();
        }
    }
}
