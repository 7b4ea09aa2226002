package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.GuestEvent;
import dev.sandglass.engine.guest.GuestExit;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.guest.GuestStream;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A reader of a command's output, who may also write to it. One thread reads, any may write; close leaves it running. */
public final class Attachment implements AutoCloseable {
    private final GuestStream stream;
    private final GuestReader reader;
    private final OptionalLong until;
    private final Function<GuestExit, Exit> exits;
    private long position;
    private @Nullable CommandOutput behindTheGap;

    /** @param until where to stop instead of following the command */
    Attachment(GuestStream stream, long offset, OptionalLong until, Function<GuestExit, Exit> exits) {
        this.stream = stream;
        this.until = until;
        this.exits = exits;
        this.position = offset;
        this.reader = stream.attach(offset);
    }

    /** The next piece; blocks for it. A slow caller makes the command wait, and other readers for a moment. */
    public CommandOutput next() throws InterruptedException {
        CommandOutput held = behindTheGap;
        if (held != null) {
            behindTheGap = null;
            return held;
        }
        if (until.isPresent() && position >= until.getAsLong()) {
            return new CommandOutput.End();
        }
        return switch (reader.next()) {
            case GuestEvent.Output(int kind, long offset, ByteBuffer buffer) -> {
                byte[] bytes = new byte[buffer.remaining()];
                buffer.duplicate().get(bytes);
                yield reach(offset, offset + bytes.length, new CommandOutput.Data(kind, offset, bytes));
            }
            case GuestEvent.Ended(GuestExit exit) -> reach(exit.endOffset(), exit.endOffset(), new CommandOutput.Ended(exits.apply(exit)));
            case GuestEvent.Closed() -> new CommandOutput.End();
            case GuestEvent.Refused(_, _, String text) ->
                throw new SandglassException(ErrorCode.COMMAND_NOT_FOUND, text, "The command is no longer kept.");
            case GuestEvent.Eof() -> throw new SandglassException(ErrorCode.GUEST_PROTOCOL, "EOF on a command", "Restart the sandbox.");
        };
    }

    /** What comes at that offset; if it is further than expected, first how much is missing. */
    private CommandOutput reach(long offset, long end, CommandOutput output) {
        long missing = offset - position;
        position = Math.max(position, end);
        if (missing <= 0) {
            return output;
        }
        behindTheGap = output;
        return new CommandOutput.Dropped(missing);
    }

    /** Sends standard input; waits while the command does not take it. */
    public void write(byte[] bytes, int offset, int length) throws InterruptedException {
        stream.write(bytes, offset, length);
    }

    /** Ends the standard input. */
    public void end() {
        stream.end();
    }

    public void resize(int cols, int rows) {
        stream.resize(cols, rows);
    }

    public void signal(String signal) {
        stream.signal(Signals.number(signal));
    }

    @Override
    public void close() {
        reader.close();
    }
}
