package dev.sandglass.engine.guest;

import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.time.Duration;
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

    private static final byte[] READY = PlayedAgent.frame(Protocol.READY, 0);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private FrameFuzz() {}

    /** What comes before the agent is ready is read in half of the inputs, and in the others what comes when something was asked for. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException, InterruptedException {
        if (input.length % 2 == 0) {
            follow(link(input), input);
        } else {
            ask(input);
        }
    }

    private static void ask(byte[] input) throws IOException, InterruptedException {
        GuestLink link = link(input);
        follow(link, READY);
        GuestReader command = link.commands().launch(COMMAND, _ -> {}).stream().attach(0);
        GuestFile files = link.file(new FileRequest(FileRequest.Operation.LIST, "/")).within(PATIENCE);
        follow(link, input);
        link.close();
        read(command);
        read(files);
    }

    private static GuestLink link(byte[] input) {
        return GuestLink.still(
                "fuzzed",
                new GuestChannel(Channels.newChannel(new ByteArrayInputStream(input)), Channels.newChannel(OutputStream.nullOutputStream())));
    }

    private static void follow(GuestLink link, byte[] said) throws IOException {
        try {
            link.follow(new FrameReader(Channels.newChannel(new ByteArrayInputStream(said)), ROOM));
        } catch (EOFException | ProtocolException expected) {
            // the end of the input, or an agent that is given up
        }
    }

    private static void read(GuestReader command) throws InterruptedException {
        try {
            while (command.hasNext()) {
                command.next();
            }
        } catch (SandglassException lost) {
            requireTold(lost);
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
        } catch (EOFException | ProtocolException broken) {
            // as its readers are told
        } catch (SandglassException lost) {
            requireTold(lost);
        }
    }

    /** Whoever reads is told of the end of the link, whatever came before. */
    private static void requireTold(SandglassException lost) {
        if (lost.code() == ErrorCode.GUEST_TIMEOUT) {
            throw lost;
        }
    }
}
