package dev.sandglass.wire.dockerfile;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.document.Place;
import java.util.List;

/**
 * An instruction as one line, however many it was written in.
 *
 * @param label what errors call the file
 * @param pieces the lines of the file of which it is made, in their order
 * @param heredocs the lines below it that belong to it
 * @param escape the character that takes the meaning of the next one away
 */
record Line(String label, String text, List<Piece> pieces, List<Heredoc> heredocs, char escape) {
    private static final int SHOWN = 60;

    /** @param from the place in the text of its first character, which stands at that line and column of the file */
    record Piece(int from, int line, int column) {}

    Line with(List<Heredoc> below) {
        return new Line(label, text, pieces, List.copyOf(below), escape);
    }

    Place place(int at) {
        Piece found = pieces.get(0);
        for (Piece piece : pieces) {
            if (piece.from() <= at) {
                found = piece;
            }
        }
        return new Place(label, found.line(), found.column() + at - found.from());
    }

    /** The word at its beginning, as instructions are written. */
    String name() {
        int end = 0;
        while (end < text.length() && !Character.isWhitespace(text.charAt(end))) {
            end++;
        }
        return text.substring(0, end);
    }

    /** Where what follows its name begins. */
    int rest() {
        int at = name().length();
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** For a list of steps. */
    String shown() {
        String plain = text.strip().replaceAll("\\s+", " ").replaceAll("\\p{Cntrl}", "?");
        return pieces.get(0).line() + ": " + (plain.length() > SHOWN ? plain.substring(0, SHOWN) + "..." : plain);
    }

    SandglassException refused(int at, String what, String hint) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, place(at) + ": " + what, hint);
    }

    SandglassException refused(int at, String what) {
        return refused(at, what, "Correct the Dockerfile at that place.");
    }
}
