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
    /** Few first words are longer. */
    private static final int USUAL = 1024;

    /** For a client that has begun to speak to finish its first words. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Reads until it is known what is spoken; a client that says nothing at first speaks something of which nothing is known. */
    static Opening read(SocketChannel channel, Duration silence) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(USUAL);
        InputStream in = channel.socket().getInputStream();
        FirstWords words = new FirstWords.NeedMore();
        long end = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (words instanceof FirstWords.NeedMore) {
                bytes = bytes.hasRemaining() ? bytes : larger(bytes);
                long left = bytes.position() == 0 ? silence.toMillis() : (end - System.nanoTime()) / 1_000_000;
                channel.socket().setSoTimeout((int) Math.max(1, left));
                int got = in.read(bytes.array(), bytes.position(), bytes.remaining());
                if (got < 0) {
                    break;
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

    private static ByteBuffer larger(ByteBuffer full) {
        return ByteBuffer.allocate(Math.min(FirstWords.ENOUGH, full.capacity() * 4)).put(full.flip());
    }
}
