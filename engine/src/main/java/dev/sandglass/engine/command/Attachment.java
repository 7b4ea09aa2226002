package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.GuestEvent;
import dev.sandglass.engine.guest.GuestExit;
import dev.sandglass.engine.guest.GuestStream;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.function.Function;

/** The reader of a command's output, who may also write to it. One thread reads, any may write; close leaves it running. */
public final class Attachment implements AutoCloseable {
    private final GuestStream stream;
    private final long token;
    private final OptionalLong until;
    private final Function<GuestExit, Exit> exits;
    private long position;

    /** @param until where to stop instead of following the command */
    Attachment(GuestStream stream, long offset, OptionalLong until, Function<GuestExit, Exit> exits) {
        this.stream = stream;
        this.until = until;
        this.exits = exits;
        this.position = offset;
        this.token = stream.attach(offset);
    }

    /** The next piece; blocks for it. A slow caller makes the command wait and nothing else. */
    public CommandOutput next() throws InterruptedException {
        if (until.isPresent() && position >= until.getAsLong()) {
            return new CommandOutput.End();
        }
        return switch (stream.next(token)) {
            case GuestEvent.Output(int kind, long offset, ByteBuffer buffer) -> {
                byte[] bytes = new byte[buffer.remaining()];
                buffer.duplicate().get(bytes);
                position = offset + bytes.length;
                yield new CommandOutput.Data(kind, offset, bytes);
            }
            case GuestEvent.Ended(GuestExit exit) -> new CommandOutput.Ended(exits.apply(exit));
            case GuestEvent.Replaced() -> new CommandOutput.TakenOver();
            case GuestEvent.Refused(_, _, String text) ->
                throw new SandglassException(ErrorCode.COMMAND_NOT_FOUND, text, "The command is no longer kept.");
            case GuestEvent.Eof() -> throw new SandglassException(ErrorCode.GUEST_PROTOCOL, "EOF on a command", "Restart the sandbox.");
        };
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
        stream.detach(token);
    }
}
