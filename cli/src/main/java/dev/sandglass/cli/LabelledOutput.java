package dev.sandglass.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Output of one of several commands: every line begins with a label and is written whole. Without a label as it comes. */
final class LabelledOutput {
    private static final int LONGEST_LINE = 1 << 16;

    private final byte[] label;
    private final OutputStream out;
    private final byte[] line = new byte[LONGEST_LINE];
    private int length;

    LabelledOutput(String label, OutputStream out) {
        this.label = label.getBytes(StandardCharsets.UTF_8);
        this.out = out;
    }

    void write(byte[] bytes) throws IOException {
        if (label.length == 0) {
            out.write(bytes);
            out.flush();
            return;
        }
        for (byte value : bytes) {
            if (value == '\n' || length == LONGEST_LINE) {
                line();
            }
            if (value != '\n') {
                line[length++] = value;
            }
        }
    }

    /** Writes what is left of a line that has no end. */
    void end() throws IOException {
        if (length > 0) {
            line();
        }
    }

    private void line() throws IOException {
        out.write(label);
        out.write(line, 0, length);
        out.write('\n');
        out.flush();
        length = 0;
    }
}
