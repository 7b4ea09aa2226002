package dev.sandglass.engine.build;

import dev.sandglass.wire.BuildOutput;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The end of what a build prints, within a bound, for any number of readers who hold nobody up. Thread-safe. */
final class BuildLog {
    private static final int MOST_CHARACTERS = 1 << 20;
    private static final int MOST_KEPT = 1 << 18;
    private static final int MOST_PIECES = 1 << 14;
    private static final int PIECE = 4096;
    private static final int LAST_LINES = 12;
    private static final int LONGEST_LINE = 400;

    /**
     * What a step printed in one go or in many small ones, so that each of them costs what its characters do.
     *
     * @param number of the first character of the text since the beginning
     * @param text grows as long as it is the last piece
     */
    private record Piece(long number, String step, StringBuilder text) {
        boolean takes(String from, String more) {
            return step.equals(from) && text.length() + more.length() <= PIECE;
        }
    }

    private final Deque<Piece> pieces = new ArrayDeque<>();
    private long characters;
    private int held;

    synchronized void add(String step, String text) {
        if (text.isEmpty()) {
            return;
        }
        Piece last = pieces.peekLast();
        if (last != null && last.takes(step, text)) {
            last.text.append(text);
        } else {
            pieces.add(new Piece(characters, step, new StringBuilder(text)));
        }
        characters += text.length();
        held += text.length();
        while ((held > MOST_CHARACTERS || pieces.size() > MOST_PIECES) && pieces.size() > 1) {
            held -= pieces.remove().text.length();
        }
    }

    /** What was printed after that many characters, as far as it is kept. */
    synchronized List<BuildOutput> after(long seen) {
        List<BuildOutput> found = new ArrayList<>();
        long reached = seen;
        for (Piece piece : pieces) {
            long end = piece.number + piece.text.length();
            if (end > reached) {
                long dropped = piece.number - reached;
                String rest = piece.text.substring((int) Math.max(0, -dropped));
                found.add(new BuildOutput(piece.step, rest, dropped > 0 ? dropped : null));
                reached = end;
            }
        }
        return found;
    }

    /** The end of it, to be kept. */
    synchronized String text() {
        StringBuilder all = new StringBuilder();
        pieces.forEach(piece -> all.append(piece.text));
        int from = Math.max(0, all.length() - MOST_KEPT);
        return (from > 0 ? "[" + (characters - MOST_KEPT) + " characters before this were not kept]\n" : "") + all.substring(from);
    }

    /** The last lines that a step printed. */
    synchronized String lastLines(String step) {
        StringBuilder all = new StringBuilder();
        pieces.stream().filter(piece -> piece.step.equals(step)).forEach(piece -> all.append(piece.text));
        List<String> lines = all.substring(Math.max(0, all.length() - LAST_LINES * LONGEST_LINE)).lines().filter(line -> !line.isBlank()).toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    }
}
