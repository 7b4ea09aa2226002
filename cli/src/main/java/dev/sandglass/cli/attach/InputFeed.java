package dev.sandglass.cli.attach;

import dev.sandglass.wire.AttachControl;
import java.io.IOException;
import java.io.InputStream;

/** Carries standard input to the command, and its end. */
final class InputFeed implements Runnable {
    private final InputStream in;
    private final Join join;
    private volatile boolean ended;

    InputFeed(InputStream in, Join join) {
        this.in = in;
        this.join = join;
    }

    /** Whether the end was reached, so that a new connection must be told again. */
    boolean ended() {
        return ended;
    }

    @Override
    public void run() {
        byte[] buffer = new byte[32_768];
        while (true) {
            int count;
            try {
                count = in.read(buffer);
            } catch (IOException unreadable) {
                count = -1;
            }
            if (count < 0) {
                ended = true;
                var _ = join.control(new AttachControl(null, null, true));
                return;
            }
            if (!join.input(buffer, count)) {
                return;
            }
        }
    }
}
