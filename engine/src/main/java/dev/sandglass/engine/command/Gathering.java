package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.GuestEvent;
import dev.sandglass.engine.guest.GuestExit;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** All that a command prints, within the limit, and its end. Used by one thread. */
final class Gathering {
    private static final int DEFAULT_LIMIT = 1 << 20;

    private final BoundedOutput stdout;
    private final BoundedOutput stderr;
    private long position;
    private @Nullable GuestExit exit;

    Gathering(RunCommand request) {
        int limit = request.outputLimit() == null ? DEFAULT_LIMIT : request.outputLimit();
        this.stdout = new BoundedOutput(limit);
        this.stderr = new BoundedOutput(limit);
    }

    /** Reads to the end. */
    void gather(GuestReader reader) throws InterruptedException {
        while (exit == null) {
            switch (reader.next()) {
                case GuestEvent.Output(int kind, long offset, ByteBuffer bytes) -> {
                    reach(offset);
                    position = offset + bytes.remaining();
                    (kind == 1 ? stdout : stderr).add(bytes);
                }
                case GuestEvent.Ended(GuestExit ended) -> {
                    reach(ended.endOffset());
                    exit = ended;
                }
                case GuestEvent.Closed() ->
                    throw new SandglassException(
                            ErrorCode.GUEST_TIMEOUT, "The agent of the sandbox did not answer.", "The command goes on; attach to it.");
                case GuestEvent.Refused(_, _, String text) ->
                    throw new SandglassException(ErrorCode.COMMAND_REFUSED, text, "See the message for the reason.");
                case GuestEvent.Eof() -> {}
            }
        }
    }

    /** What is missing may have been of either kind. */
    private void reach(long offset) {
        if (offset > position) {
            stdout.cut();
            stderr.cut();
        }
    }

    CommandResult result(LiveSandbox in) {
        if (exit == null) {
            throw new IllegalStateException("not at the end");
        }
        return new CommandResult(Exits.of(exit, in), stdout.text(), stderr.text(), stdout.truncated(), stderr.truncated());
    }
}
