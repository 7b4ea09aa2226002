package dev.sandglass.network.dns;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Brings the questions of one sandbox to its {@link NameServer}: datagrams, and streams in which each message has its length before it. Questions beyond those that
 * may be open at once are dropped; a resolver asks again. Both methods wait, so they are called in virtual threads of their own, and both end when their channel is closed.
 */
public final class NameListener {
    private static final int MOST_AT_ONCE = 64;
    private static final int LONGEST_QUERY = 4096;
    private static final int MOST_QUERIES_OF_A_STREAM = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration BETWEEN_FAULTS = Duration.ofMillis(100);

    private final NameServer server;
    private final Duration patience;
    private final Semaphore places = new Semaphore(MOST_AT_ONCE);

    public NameListener(NameServer server) {
        this(server, PATIENCE);
    }

    NameListener(NameServer server, Duration patience) {
        this.server = server;
        this.patience = patience;
    }

    /** Answers what comes in on a channel that is bound and blocks. */
    public void serve(DatagramChannel channel) {
        ByteBuffer buffer = ByteBuffer.allocate(LONGEST_QUERY);
        while (channel.isOpen()) {
            try {
                SocketAddress client = channel.receive(buffer.clear());
                if (client != null && places.tryAcquire()) {
                    byte[] query = taken(buffer.flip());
                    Thread.ofVirtual().name("dns-query").start(() -> answer(channel, client, query));
                }
            } catch (IOException fault) {
                if (!pause(channel)) {
                    return;
                }
            }
        }
    }

    private void answer(DatagramChannel channel, SocketAddress client, byte[] query) {
        try {
            Optional<byte[]> answer = server.answer(query, false);
            if (answer.isPresent()) {
                channel.send(ByteBuffer.wrap(answer.get()), client);
            }
        } catch (IOException lost) {
            // As any datagram may be; who waits for it asks again.
        } finally {
            places.release();
        }
    }

    /** Lest a fault that stays keeps a core busy; false if there is nothing to go on with. */
    private static boolean pause(DatagramChannel channel) {
        try {
            Thread.sleep(BETWEEN_FAULTS);
            return channel.isOpen();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Answers one question after the other until the client has no more, takes too long, or has asked often enough; then the stream, which blocks, is closed. */
    public void serve(SocketChannel stream) {
        try (stream;
                Watch watch = new Watch(stream, patience)) {
            for (int queries = 0; queries < MOST_QUERIES_OF_A_STREAM; queries++) {
                byte[] query = read(stream);
                watch.extend();
                Optional<byte[]> answer = answer(query);
                if (answer.isEmpty()) {
                    return;
                }
                watch.extend();
                write(stream, answer.get());
                watch.extend();
            }
        } catch (IOException gone) {
            // The client has left, or was too slow; the stream is closed in any case.
        }
    }

    private Optional<byte[]> answer(byte[] query) {
        if (!places.tryAcquire()) {
            return Optional.empty();
        }
        try {
            return server.answer(query, true);
        } finally {
            places.release();
        }
    }

    private static byte[] read(SocketChannel stream) throws IOException {
        int length = Short.toUnsignedInt(fill(stream, Short.BYTES).getShort());
        if (length > LONGEST_QUERY) {
            throw new IOException("query: " + length + " bytes (expected: <= " + LONGEST_QUERY + ")");
        }
        return taken(fill(stream, length));
    }

    private static ByteBuffer fill(SocketChannel stream, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            if (stream.read(buffer) < 0) {
                throw new EOFException("the stream ends inside of a query");
            }
        }
        return buffer.flip();
    }

    private static void write(SocketChannel stream, byte[] answer) throws IOException {
        ByteBuffer framed = ByteBuffer.allocate(Short.BYTES + answer.length).putShort((short) answer.length).put(answer).flip();
        while (framed.hasRemaining()) {
            stream.write(framed);
        }
    }

    private static byte[] taken(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
