package dev.sandglass.engine.guest;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;

/**
 * A fuzz target: what an agent might send, any bytes, through the reader of frames and messages and of what is in them. Only what
 * breaks the protocol may be thrown. Jazzer finds it by the name of its method; {@code make fuzz} runs it.
 */
public final class FrameFuzz {
    /** Of one reader after the other: making room takes a thousand times as long as reading what is in it. */
    private static final ByteBuffer ROOM = ByteBuffer.allocate(1 << 16);

    private FrameFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        FrameReader frames = new FrameReader(Channels.newChannel(new ByteArrayInputStream(input)), ROOM);
        MessageReader messages = new MessageReader();
        try {
            while (true) {
                Frame message = messages.add(frames.next());
                if (message != null) {
                    read(message);
                }
            }
        } catch (EOFException | ProtocolException expected) {
            // the end of the input, or an agent that is given up
        }
    }

    private static void read(Frame message) throws IOException {
        ByteBuffer payload = message.payload();
        if (message.type() == Protocol.EXIT) {
            GuestExit.decode(payload.duplicate());
        } else if (message.type() == Protocol.COMMAND || message.type() == Protocol.OUTPUT) {
            FieldReader fields = new FieldReader(payload.duplicate());
            fields.number(1);
            fields.number(2);
            fields.texts(6);
            fields.text(8);
            fields.bytes(7);
        }
    }
}
