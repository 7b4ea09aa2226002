package dev.sandglass.cli.terminal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Columns of text, each as wide as its widest cell; every cell is made inert. */
public final class Table {
    private final List<String[]> rows = new ArrayList<>();
    private final int[] widths;
    private final Set<Integer> hidden = new HashSet<>();

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

    /** Leaves these columns out where no row has anything in them. */
    public Table withoutEmpty(String... columns) {
        List<String> header = List.of(rows.getFirst());
        for (String column : columns) {
            int at = header.indexOf(column);
            if (rows.stream().skip(1).allMatch(row -> row[at].isEmpty())) {
                hidden.add(at);
            }
        }
        return this;
    }

    /** The lines of the table; the header in bold if asked for. */
    public String text(boolean bold) {
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            boolean header = bold && text.isEmpty();
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                if (!hidden.contains(i)) {
                    line.append(row[i]).repeat(' ', widths[i] - row[i].length() + 3);
                }
            }
            text.append(header ? "\u001b[1m" : "").append(line.toString().stripTrailing()).append(header ? "\u001b[0m\n" : "\n");
        }
        return text.toString();
    }
}
