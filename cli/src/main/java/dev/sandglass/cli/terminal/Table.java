package dev.sandglass.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Columns of text, each as wide as its widest cell; every cell is made inert. */
public final class Table {
    private final List<String[]> rows = new ArrayList<>();
    private final int[] widths;

    public Table(String... header) {
        widths = new int[header.length];
        row(header);
    }

    public void row(String... cells) {
        String[] safe = new String[widths.length];
        for (int i = 0; i < widths.length; i++) {
            safe[i] = Inert.text(cells[i]);
            widths[i] = Math.max(widths[i], safe[i].length());
        }
        rows.add(safe);
    }

    /** The lines of the table; the header in bold if asked for. */
    public String text(boolean bold) {
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            boolean header = bold && text.isEmpty();
            text.append(header ? "\u001b[1m" : "");
            for (int i = 0; i < row.length; i++) {
                text.append(row[i]);
                if (i < row.length - 1) {
                    text.repeat(' ', widths[i] - row[i].length() + 3);
                }
            }
            text.append(header ? "\u001b[0m\n" : "\n");
        }
        return text.toString();
    }
}
