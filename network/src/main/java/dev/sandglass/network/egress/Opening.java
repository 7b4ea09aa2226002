package dev.sandglass.network.egress;

import dev.sandglass.network.sniff.FirstWords;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * The beginning of a connection.
 *
 * @param bytes to be passed on, if it is
 */
record Opening(FirstWords words, ByteBuffer bytes) {
    /** Each is looked at from the beginning. */
    private static final int MOST_READS = 64;

    /** Few first words are longer. */
    private static final int USUAL = 1024;

    /** For a client that has begun to speak to finish its first words. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * Reads until it is known what is spoken.
     *
     * @param silence for how long a client may say nothing; zero is for ever
     */
    static Opening read(SocketChannel channel, Duration silence) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(USUAL);
        InputStream in = channel.socket().getInputStream();
        FirstWords words = new FirstWords.NeedMore();
        long end = 0;
        int reads = 0;
        try {
            while (words instanceof FirstWords.NeedMore) {
                bytes = bytes.hasRemaining() ? bytes : larger(bytes);
                long left = bytes.position() == 0 ? silence.toMillis() : Math.max(1, (end - System.nanoTime()) / 1_000_000);
                channel.socket().setSoTimeout((int) left);
                int got = in.read(bytes.array(), bytes.position(), bytes.remaining());
                if (got < 0) {
                    words = ended(bytes);
                    break;
                }
                if (++reads > MOST_READS) {
                    words = new FirstWords.Malformed("first words in more than " + MOST_READS + " pieces");
                    break;
                }
                if (bytes.position() == 0) {
                    end = System.nanoTime() + PATIENCE.toNanos();
                }
                bytes.position(bytes.position() + got);
                words = FirstWords.read(bytes.duplicate().flip());
            }
        } catch (SocketTimeoutException silent) {
            if (bytes.position() > 0) {
                words = new FirstWords.Malformed("no whole first words within " + PATIENCE.toSeconds() + " s");
            }
        }
        return new Opening(words, bytes.flip());
    }

    /** Whether the client said nothing yet. */
    boolean isSilent() {
        return words instanceof FirstWords.NeedMore;
    }

    /** Whether it is a request of HTTP/1 that is wrong or too long; a line that has not ended may be something else. */
    boolean isBrokenRequest() {
        return words instanceof FirstWords.Malformed && bytes.hasRemaining() && !FirstWords.isRecord(bytes.get(0)) && (bytes.remaining() >= FirstWords.ENOUGH || hasLine(bytes, bytes.limit()));
    }

    private static boolean hasLine(ByteBuffer bytes, int length) {
        for (int i = 0; i < length; i++) {
            if (bytes.get(i) == '\n') {
                return true;
            }
        }
        return false;
    }

    /** Some servers take the end for that of a head which has begun; a line that has not ended is no head. */
    private static FirstWords ended(ByteBuffer bytes) {
        boolean isCut = bytes.position() > 0 && (FirstWords.isRecord(bytes.get(0)) || hasLine(bytes, bytes.position()));
        return isCut ? new FirstWords.Malformed("it ends in the middle of its first words") : new FirstWords.Other();
    }

    private static ByteBuffer larger(ByteBuffer full) {
        return ByteBuffer.allocate(Math.min(FirstWords.ENOUGH, full.capacity() * 4)).put(full.flip());
    }
}
