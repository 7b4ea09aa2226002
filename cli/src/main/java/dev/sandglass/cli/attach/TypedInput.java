package dev.sandglass.cli.attach;

import dev.sandglass.wire.AttachControl;
import java.io.IOException;
import java.io.InputStream;

/**
 * Carries what is typed on a raw terminal to the command.
 *
 * <p>Ctrl-P Ctrl-Q leaves a command that one attached to. While there is no connection nothing can be typed, and Ctrl-C
 * leaves, since no signal comes from a raw terminal.
 */
final class TypedInput implements Runnable {
    private static final byte CTRL_C = 3;
    private static final byte CTRL_P = 16;
    private static final byte CTRL_Q = 17;

    private final InputStream in;
    private final Join join;
    private final boolean detachable;
    private final Runnable leave;
    private boolean held;

    TypedInput(InputStream in, Join join, boolean detachable, Runnable leave) {
        this.in = in;
        this.join = join;
        this.detachable = detachable;
        this.leave = leave;
    }

    @Override
    public void run() {
        byte[] typed = new byte[4096];
        byte[] passed = new byte[typed.length + 1];
        while (true) {
            int count = read(typed);
            if (count < 0) {
                var _ = join.control(new AttachControl(null, null, true));
                return;
            }
            if (join.isBroken()) {
                if (contains(typed, count, CTRL_C)) {
                    leave.run();
                    return;
                }
                continue;
            }
            int length = filter(typed, count, passed);
            if (length < 0) {
                leave.run();
                return;
            }
            if (length > 0 && !join.input(passed, length)) {
                return;
            }
        }
    }

    private int read(byte[] buffer) {
        try {
            return in.read(buffer);
        } catch (IOException unreadable) {
            return -1;
        }
    }

    /** Copies what the command gets and returns how much that is; -1 when the keys that leave were typed. */
    private int filter(byte[] typed, int count, byte[] passed) {
        int length = 0;
        for (int i = 0; i < count; i++) {
            if (held && typed[i] == CTRL_Q) {
                return -1;
            }
            if (held) {
                passed[length++] = CTRL_P;
            }
            held = detachable && typed[i] == CTRL_P;
            if (!held) {
                passed[length++] = typed[i];
            }
        }
        return length;
    }

    private static boolean contains(byte[] bytes, int count, byte wanted) {
        for (int i = 0; i < count; i++) {
            if (bytes[i] == wanted) {
                return true;
            }
        }
        return false;
    }
}
