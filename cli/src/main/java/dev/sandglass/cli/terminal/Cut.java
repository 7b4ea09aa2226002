package dev.sandglass.cli.terminal;

/** Lines that end where the terminal does, instead of going on in the next row. */
public final class Cut {
    private static final char ESCAPE = '\u001b';

    private Cut() {}

    /** Each line at most so wide, colours not counted; one that is cut ends with a mark. */
    public static String lines(String text, int columns) {
        StringBuilder cut = new StringBuilder(text.length());
        text.lines().forEach(line -> cut.append(line(line, columns)).append('\n'));
        return cut.toString();
    }

    private static String line(String line, int columns) {
        if (width(line) <= columns) {
            return line;
        }
        StringBuilder cut = new StringBuilder();
        int wide = 0;
        for (int i = 0; i < line.length(); i++) {
            int end = escape(line, i);
            if (end > i) {
                cut.append(line, i, end); // also those after the cut, so that what is bold ends
                i = end - 1;
            } else if (++wide < columns) {
                cut.append(line.charAt(i));
            } else if (wide == columns) {
                cut.append('…');
            }
        }
        return cut.toString();
    }

    private static int width(String line) {
        int wide = 0;
        for (int i = 0; i < line.length(); i++) {
            int end = escape(line, i);
            wide += end > i ? 0 : 1;
            i = Math.max(i, end - 1);
        }
        return wide;
    }

    /** Where the colour that begins here ends; here if none does. */
    private static int escape(String line, int from) {
        int end = line.charAt(from) == ESCAPE ? line.indexOf('m', from) : -1;
        return end < 0 ? from : end + 1;
    }
}
