package dev.sandglass.pool.diff;

import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;

/** Compares what is in files, within a time. Not thread-safe. */
final class Contents {
    private final ByteBuffer left = ByteBuffer.allocateDirect(View.BUFFER);
    private final ByteBuffer right = ByteBuffer.allocateDirect(View.BUFFER);
    private final long begun = System.nanoTime();
    private final Duration atMost;

    Contents(Duration atMost) {
        this.atMost = atMost;
    }

    boolean isLate() {
        return System.nanoTime() - begun > atMost.toNanos();
    }

    /** Of two files of one type; a file that could not be compared in time counts as another. */
    boolean areSame(View.Present one, View.Present other) throws IOException {
        return switch (one.facts().type()) {
            case FileFacts.REGULAR -> one.facts().size() == other.facts().size() && areSameFiles(one, other);
            case FileFacts.LINK ->
                Arrays.equals(one.where().directory().linkTarget(one.name()), other.where().directory().linkTarget(other.name()));
            case FileFacts.BLOCK, FileFacts.CHARACTER ->
                one.facts().major() == other.facts().major() && one.facts().minor() == other.facts().minor();
            default -> true;
        };
    }

    private boolean areSameFiles(View.Present one, View.Present other) throws IOException {
        if (one.facts().size() == 0) {
            return true;
        }
        try (OpenFile before = one.content();
                OpenFile after = other.content()) {
            while (!isLate()) {
                // Both are frozen and of one size, so both give pieces of one size.
                if (!before.read(left).equals(after.read(right))) {
                    return false;
                }
                if (!left.hasRemaining()) {
                    return true;
                }
            }
            return false;
        }
    }
}
