package dev.sandglass.server.mcp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The beginning of an output and, if wanted, its end, within a limit; what is between them is only counted. Offsets are those of the output. Not thread-safe.
 *
 * <p>Neither part ends within a character, so that the rest can be read from there.
 */
final class Excerpt {
    private final long begin;
    private final int mostHead;
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    /** The last bytes behind the head, round and round. */
    private final byte[] ring;
    private long behindHead;
    private long droppedBefore;
    private long droppedBehind;

    private Excerpt(long begin, int mostHead, int mostTail) {
        this.begin = begin;
        this.mostHead = mostHead;
        this.ring = new byte[mostTail];
    }

    /** A quarter from the beginning, and the rest from the end: that is where commands say how they ended. */
    static Excerpt ofBothEnds(int limit) {
        return new Excerpt(0, limit / 4, limit - limit / 4);
    }

    /** What comes from an offset on. */
    static Excerpt from(long offset, int limit) {
        return new Excerpt(offset, limit, 0);
    }

    void add(byte[] bytes) {
        int toHead = behindHead > 0 ? 0 : Math.min(bytes.length, mostHead - head.size());
        head.write(bytes, 0, toHead);
        for (int i = Math.max(toHead, bytes.length - ring.length); i < bytes.length; i++) {
            ring[(int) ((behindHead + i - toHead) % ring.length)] = bytes[i];
        }
        behindHead += bytes.length - toHead;
    }

    /** So many bytes come no more: the sandbox has not kept them. */
    void drop(long bytes) {
        if (behindHead == 0) {
            droppedBefore += bytes;
        } else {
            droppedBehind += bytes;
        }
    }

    /** Whether nothing more would be kept. */
    boolean isFull() {
        return ring.length == 0 && head.size() == mostHead;
    }

    long dropped() {
        return droppedBefore + droppedBehind;
    }

    /** How many bytes are left out between the beginning and the end. */
    long omitted() {
        return ring.length == 0 ? 0 : head.size() + behindHead - beginning().length - end().length;
    }

    /** Where they begin. */
    long omittedAt() {
        return begin + droppedBefore + beginning().length;
    }

    /** Where the output goes on behind what is told of here. */
    long next() {
        return ring.length == 0 ? omittedAt() : begin + dropped() + head.size() + behindHead;
    }

    String text() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(beginning());
        if (omitted() > 0) {
            all.writeBytes(("\n[... " + omitted() + " bytes are omitted; read_output with offset " + omittedAt() + " has them ...]\n").getBytes(StandardCharsets.UTF_8));
        }
        all.writeBytes(end());
        return all.toString(StandardCharsets.UTF_8);
    }

    /** Where the two parts follow each other, a character may begin in the one and end in the other. */
    private boolean isWhole() {
        return ring.length > 0 && behindHead <= ring.length;
    }

    private byte[] beginning() {
        byte[] bytes = head.toByteArray();
        return isWhole() || bytes.length < mostHead ? bytes : Arrays.copyOf(bytes, Utf8.whole(bytes));
    }

    private byte[] end() {
        int length = (int) Math.min(behindHead, ring.length);
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = ring[(int) ((behindHead - length + i) % ring.length)];
        }
        return isWhole() ? bytes : Arrays.copyOfRange(bytes, Utf8.begun(bytes), length);
    }
}
