package dev.sandglass.engine.file;

import dev.sandglass.engine.guest.FieldReader;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

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

    /** With what the agent tells besides, if it does. */
    static DetailedEntry detailed(FieldReader record, String path) throws IOException {
        Optional<DetailedEntry.End> end = Optional.empty();
        if (record.has(12)) {
            end = Optional.of(new DetailedEntry.End(kind((int) record.number(12)), mode(record.number(13)), record.text(14).orElse("")));
        }
        Map<String, String> attributes = new TreeMap<>();
        for (byte[] pair : record.all(15)) {
            attribute(pair).ifPresent(attribute -> attributes.put(attribute.getKey(), attribute.getValue()));
        }
        return new DetailedEntry(entry(record, path), end, attributes);
    }

    /** One that is no text is left out. */
    private static Optional<Map.Entry<String, String>> attribute(byte[] pair) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(pair)).toString();
            int end = text.indexOf(0);
            return end < 0 ? Optional.empty() : Optional.of(Map.entry(text.substring(0, end), text.substring(end + 1)));
        } catch (CharacterCodingException noText) {
            return Optional.empty();
        }
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
