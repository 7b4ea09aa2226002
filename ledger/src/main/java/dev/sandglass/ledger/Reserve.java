package dev.sandglass.ledger;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Room on the disk that is given up when nothing else is left, so that what makes room can be written down. Thread-safe. */
final class Reserve {
    private static final Logger LOG = LoggerFactory.getLogger(Reserve.class);
    private static final int BYTES = 1 << 20;

    private final Path file;

    Reserve(Path file) {
        this.file = file;
    }

    /** Takes as much as there is, up to what it should have. */
    synchronized void fill() {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            byte[] content = new byte[(int) Math.max(0, BYTES - channel.size())];
            new Random().nextBytes(content); // a disk that compresses keeps no room for zeros
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        } catch (IOException noRoom) {
            LOG.warn("The ledger's reserve {} is not whole: {}", file, noRoom.getMessage());
        }
    }

    /** Writes what makes room; when the disk is full, the reserve goes for it. */
    <T> T lend(Supplier<T> writing) {
        try {
            return writing.get();
        } catch (SandglassException refused) {
            if (refused.code() != ErrorCode.DISK_FULL || !empty()) {
                throw refused;
            }
        }
        try {
            return writing.get();
        } finally {
            fill();
        }
    }

    /** Gives it up until it is filled again; whether there was any. */
    synchronized boolean empty() {
        try {
            boolean any = Files.exists(file) && Files.size(file) > 0;
            Files.deleteIfExists(file);
            return any;
        } catch (IOException problem) {
            LOG.warn("The ledger's reserve {} cannot be given up", file, problem);
            return false;
        }
    }
}
