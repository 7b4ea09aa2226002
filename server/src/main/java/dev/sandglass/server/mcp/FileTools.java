package dev.sandglass.server.mcp;

import dev.sandglass.engine.file.FileContent;
import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.file.Location;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.EntryList;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Files: read, written, listed. */
final class FileTools {
    private static final int MOST_PICTURE = 1 << 20;

    private final Files files;

    FileTools(Files files) {
        this.files = files;
    }

    Map<String, Tool> tools() {
        return Map.of(
                "read_file", (arguments, _) -> read(arguments),
                "write_file", (arguments, _) -> write(arguments),
                "list_files", (arguments, _) -> list(arguments));
    }

    private Reply read(Arguments arguments) throws IOException {
        Location at = new Location(arguments.text("sandbox"), arguments.text("path"), Optional.empty());
        long offset = arguments.number("offset");
        Piece piece = piece(at, offset, (int) arguments.number("limit"));
        Optional<String> picture = offset == 0 && piece.size <= MOST_PICTURE ? Pictures.mediaType(piece.bytes) : Optional.empty();
        return picture.isPresent() ? picture(at, picture.get()) : read(at, offset, piece);
    }

    private static Reply read(Location at, long offset, Piece piece) {
        boolean cut = offset + piece.bytes.length < piece.size;
        int whole = cut ? Utf8.whole(piece.bytes) : piece.bytes.length;
        Optional<String> text = Utf8.text(piece.bytes, whole);
        String content = text.orElseGet(() -> Base64.getEncoder().encodeToString(piece.bytes));
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("path", at.path());
        shown.put("size", piece.size);
        shown.put("encoding", text.isPresent() ? "utf-8" : "base64");
        shown.put("content", content);
        shown.put("next_offset", cut ? offset + (text.isPresent() ? whole : piece.bytes.length) : null);
        return Reply.of(content, shown);
    }

    private Reply picture(Location at, String mediaType) throws IOException {
        Piece whole = piece(at, 0, MOST_PICTURE);
        Map<String, Object> shown = Map.of("path", at.path(), "size", whole.size, "encoding", "image");
        return new Reply(List.of(Map.of("type", "image", "data", Base64.getEncoder().encodeToString(whole.bytes), "mimeType", mediaType)), shown, null);
    }

    /** Some bytes of a file of that size. */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared or kept
    private record Piece(byte[] bytes, long size) {}

    /** Those in /proc and /sys have more bytes than their size says. */
    private Piece piece(Location at, long offset, int limit) throws IOException {
        try (FileContent content = files.read(at, offset, OptionalLong.of(limit))) {
            byte[] bytes = content.bytes().readNBytes(limit);
            return new Piece(bytes, Math.max(content.entry().size(), offset + bytes.length));
        }
    }

    private Reply write(Arguments arguments) throws IOException {
        Location at = new Location(arguments.text("sandbox"), arguments.text("path"), Optional.empty());
        OptionalInt mode = arguments.find("mode").map(octal -> OptionalInt.of(Integer.parseInt(octal, 8))).orElse(OptionalInt.empty());
        Entry written = files.write(at, mode, Optional.empty(), new ByteArrayInputStream(content(arguments)));
        return Reply.of(Map.of("path", written.path(), "size", written.size()));
    }

    private static byte[] content(Arguments arguments) {
        String content = arguments.text("content");
        if (arguments.text("encoding").equals("utf-8")) {
            return content.getBytes(StandardCharsets.UTF_8);
        }
        try {
            return Base64.getDecoder().decode(content);
        } catch (IllegalArgumentException problem) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "content: it is not base64.", "Encode the bytes as base64, or set encoding to utf-8.", problem);
        }
    }

    private Reply list(Arguments arguments) {
        Location at = new Location(arguments.text("sandbox"), arguments.text("path"), Optional.empty());
        int limit = (int) arguments.number("limit");
        EntryList listed = files.list(at, (int) arguments.number("depth"));
        List<Entry> entries = listed.entries().subList(0, Math.min(limit, listed.entries().size()));
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("entries", entries.stream().map(FileTools::shown).toList());
        shown.put("truncated", listed.truncated() || entries.size() < listed.entries().size());
        return Reply.of(shown);
    }

    private static Map<String, @Nullable Object> shown(Entry entry) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("path", entry.path());
        shown.put("kind", entry.kind());
        shown.put("size", entry.size());
        shown.put("mode", entry.mode());
        shown.put("target", entry.target());
        return shown;
    }

    /** What pictures begin with. */
    private static final class Pictures {
        private static final Map<String, byte[]> BEGINNINGS = Map.of(
                "image/png", new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'},
                "image/jpeg", new byte[] {(byte) 0xff, (byte) 0xd8, (byte) 0xff},
                "image/gif", new byte[] {'G', 'I', 'F', '8'});

        private static Optional<String> mediaType(byte[] bytes) {
            return BEGINNINGS.entrySet().stream()
                    .filter(known -> bytes.length >= known.getValue().length && Arrays.equals(bytes, 0, known.getValue().length, known.getValue(), 0, known.getValue().length))
                    .map(Map.Entry::getKey)
                    .findFirst();
        }
    }
}
