package dev.sandglass.cli.attach;

import dev.sandglass.cli.terminal.Bytes;

/** What is said where output is missing. */
public final class Gap {
    private Gap() {}

    public static String text(long bytes) {
        return "... " + Bytes.shown(bytes) + " of output was not kept ...";
    }
}
