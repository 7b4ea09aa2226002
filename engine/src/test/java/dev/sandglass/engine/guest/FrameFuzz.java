package dev.sandglass.engine.guest;

import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A fuzz target: what an agent might send, any bytes, to a daemon that has asked it for a command and a list of files. Only what
 * breaks the protocol may be thrown. Jazzer finds it by the name of its method; {@code make fuzz} runs it.
 */
public final class FrameFuzz {
    /** Of one reader after the other: making room takes a thousand times as long as reading what is in it. */
    private static final ByteBuffer ROOM = ByteBuffer.allocate(1 << 16);

    private static final CommandStart COMMAND = new CommandStart(
            new CommandFacts(List.of("true"), Optional.empty(), Optional.empty(), false), Map.of(), Optional.empty(), true, true, Optional.empty());

    private FrameFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws IOException, InterruptedException {
        ReadableByteChannel said = Channels.newChannel(new ByteArrayInputStream(input));
        GuestLink link = GuestLink.still("fuzzed", new GuestChannel(said, Channels.newChannel(OutputStream.nullOutputStream())));
        GuestReader command = link.launch(COMMAND, _ -> {}).stream().attach(0);
        GuestFile files = link.file(new FileRequest(FileRequest.Operation.LIST, "/"));
        try {
            link.follow(new FrameReader(said, ROOM));
        } catch (EOFException | ProtocolException expected) {
            // the end of the input, or an agent that is given up
        }
        link.close();
        read(command);
        read(files);
    }

    private static void read(GuestReader command) throws InterruptedException {
        try {
            while (command.hasNext()) {
                command.next();
            }
        } catch (SandglassException lost) {
            // as its readers are told
        }
    }

    private static void read(GuestFile files) throws IOException {
        try {
            for (Optional<FieldReader> next = files.nextRecord(); next.isPresent(); next = files.nextRecord()) {
                FieldReader fields = next.get();
                fields.number(1);
                fields.text(2);
                fields.texts(6);
                fields.bytes(7);
            }
        } catch (EOFException | ProtocolException | SandglassException lost) {
            // as its readers are told
        }
    }
}
