package dev.sandglass.engine.guest;

import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.engine.runtime.GuestSettings;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

/** Says what a test wants an agent to say: it reads the HELLO, answers once, and reads on until nobody speaks to it. */
final class PlayedAgent implements AutoCloseable {
    /** Magic and nonce, which stand in HELLO and WELCOME. */
    private static final int HEAD_BYTES = 32;

    private final Pipe toGuest;
    private final Pipe fromGuest;
    private final Thread thread;

    /** @param answer given magic and nonce, all that the agent says before it falls silent for good */
    PlayedAgent(Function<byte[], byte[]> answer) throws IOException {
        this(answer, new byte[0]);
    }

    /** @param later what it says to the first request */
    PlayedAgent(Function<byte[], byte[]> answer, byte[] later) throws IOException {
        this.toGuest = Pipe.open();
        this.fromGuest = Pipe.open();
        this.thread = Thread.ofPlatform().start(() -> play(answer, later));
    }

    GuestLink link() throws InterruptedException {
        Greeting greeting = new Greeting(new GuestSettings(0, true, 0, 0, false, false), "test", Map.of(), () -> 0);
        return GuestLink.open("played", new GuestChannel(fromGuest.source(), toGuest.sink()), greeting, Duration.ofSeconds(30));
    }

    static byte[] frame(int type, int stream, byte[]... parts) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            payload.writeBytes(part);
        }
        ByteBuffer frame = Frame.encode(type, false, stream, ByteBuffer.wrap(payload.toByteArray()));
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    private void play(Function<byte[], byte[]> answer, byte[] later) {
        try {
            // The zeros that end what an earlier daemon left, then HELLO.
            ByteBuffer heard = hear(Protocol.MAX_LONG_FRAME_BYTES + Protocol.HEADER_BYTES + HEAD_BYTES);
            byte[] head = new byte[HEAD_BYTES];
            heard.get(heard.capacity() - HEAD_BYTES, head);
            fromGuest.sink().write(ByteBuffer.wrap(answer.apply(head)));
            if (later.length > 0) {
                int settings = Short.toUnsignedInt(heard.getShort(Protocol.MAX_LONG_FRAME_BYTES)) - HEAD_BYTES;
                ByteBuffer request = hear(settings + Protocol.HEADER_BYTES);
                int credit = request.get(settings + 2) == Protocol.SETTINGS ? 0 : Protocol.HEADER_BYTES + Integer.BYTES;
                hear(Short.toUnsignedInt(request.getShort(settings)) + credit); // who answers sooner may be gone before all is asked
                fromGuest.sink().write(ByteBuffer.wrap(later));
            }
            fromGuest.sink().close();
            ByteBuffer rest = ByteBuffer.allocate(1 << 16);
            while (toGuest.source().read(rest.clear()) >= 0) {
                rest.clear();
            }
        } catch (IOException closed) {
            return;
        }
    }

    private ByteBuffer hear(int bytes) throws IOException {
        ByteBuffer heard = ByteBuffer.allocate(bytes);
        while (heard.hasRemaining()) {
            if (toGuest.source().read(heard) < 0) {
                throw new EOFException("nobody speaks any more");
            }
        }
        return heard;
    }

    @Override
    public void close() throws IOException {
        toGuest.sink().close();
        fromGuest.source().close();
        try {
            thread.join();
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        toGuest.source().close();
        fromGuest.sink().close();
    }
}
