package dev.sandglass.cli.attach;

import java.io.IOException;
import java.io.OutputStream;

/** Where the command's output goes; what nobody reads any more is dropped and told once. */
final class Output {
    private final OutputStream stdout;
    private final OutputStream stderr;
    private final Runnable onBroken;
    private boolean broken;

    Output(OutputStream stdout, OutputStream stderr, Runnable onBroken) {
        this.stdout = stdout;
        this.stderr = stderr;
        this.onBroken = onBroken;
    }

    void write(boolean error, byte[] bytes, int offset, int length) {
        if (broken) {
            return;
        }
        try {
            OutputStream out = error ? stderr : stdout;
            out.write(bytes, offset, length);
            out.flush();
        } catch (IOException nobodyReads) {
            broken = true;
            onBroken.run();
        }
    }
}
