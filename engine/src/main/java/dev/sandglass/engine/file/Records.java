package dev.sandglass.engine.file;

import dev.sandglass.engine.guest.FieldReader;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Instant;

/** Turns the agent's records into wire records; nothing in them is trusted. */
final class Records {
    private Records() {}

    static Entry entry(FieldReader record, String path) throws IOException {
        String name = record.text(1).orElse("");
        long modified = record.number(7);
        return new Entry(
                name.substring(name.lastIndexOf('/') + 1),
                path,
                kind((int) record.number(2)),
                mode(record.number(3)),
                record.number(4),
                record.number(5),
                record.text(9).orElse(null),
                record.text(10).orElse(null),
                Math.max(0, record.number(6)),
                Instant.ofEpochSecond(0, modified),
                record.text(8).orElse(null));
    }

    private static String mode(long bits) {
        String octal = Long.toOctalString(bits & 07777);
        return "0".repeat(4 - octal.length()) + octal;
    }

    private static String kind(int letter) {
        return switch (letter) {
            case 'f' -> "file";
            case 'd' -> "directory";
            case 'l' -> "link";
            case 'p' -> "fifo";
            case 's' -> "socket";
            default -> "device";
        };
    }

    static SandglassException broken(IOException problem) {
        if (problem instanceof InterruptedIOException) {
            return new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", problem);
        }
        return new SandglassException(
                ErrorCode.GUEST_PROTOCOL,
                "The file operation broke off: " + problem.getMessage(),
                "The sandbox was tampered with from inside, or the transfer was cut.",
                problem);
    }
}
