package dev.sandglass.wire.tar;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads entries one after the other: ustar with pax headers and GNU long names, and nothing more exotic. */
public final class TarReader {
    /** No honest entry has more than a path of 4096 bytes, some numbers and attributes; all of its extended headers together. */
    private static final int MAX_EXTENDED = 1 << 18;

    private static final long MAX_ID = 0xffff_fffeL;

    private static final String ATTRIBUTE = "SCHILY.xattr.";

    private final InputStream in;
    private long left;
    private long padding;
    /** What may still come of extended headers before the next entry. */
    private long room;

    public TarReader(InputStream in) {
        this.in = in;
    }

    /** The next entry, null at the end of the archive. What is left of the previous one is skipped. */
    public @Nullable TarEntry next() throws IOException {
        Map<String, String> extended = new HashMap<>();
        room = MAX_EXTENDED;
        while (true) {
            skip();
            TarHeader header = header();
            if (header == null) {
                return null;
            }
            left = header.length();
            padding = -left & (TarHeader.SIZE - 1);
            if (left < 0) {
                throw new TarException("not a tar archive: an entry of negative size");
            }
            switch (header.type()) {
                case 'x' -> pax(text(), extended);
                case 'g' -> text(); // bounded like all that no entry has for itself
                case 'L' -> extended.put("path", upToNul(text()));
                case 'K' -> extended.put("linkpath", upToNul(text()));
                default -> {
                    return entry(header, extended);
                }
            }
        }
    }

    /** Some bytes of the current entry, -1 at its end. */
    public int read(byte[] buffer) throws IOException {
        if (left == 0) {
            return -1;
        }
        int count = in.read(buffer, 0, (int) Math.min(left, buffer.length));
        if (count < 0) {
            throw new TarException("the archive ends in the middle of an entry");
        }
        left -= count;
        return count;
    }

    private TarEntry entry(TarHeader header, Map<String, String> extended) throws IOException {
        String size = extended.get("size");
        if (size != null) {
            left = number(size);
            padding = -left & (TarHeader.SIZE - 1);
        }
        TarEntry.Kind kind = header.kind();
        String name = extended.getOrDefault("path", header.name());
        if (kind == TarEntry.Kind.FILE && name.endsWith("/")) {
            kind = TarEntry.Kind.DIRECTORY;
        }
        boolean sparse = extended.keySet().stream().anyMatch(key -> key.startsWith("GNU.sparse"));
        return new TarEntry(
                name,
                sparse ? TarEntry.Kind.OTHER : kind,
                header.mode(),
                id(extended.get("uid"), header.uid()),
                id(extended.get("gid"), header.gid()),
                left,
                TarTime.parse(extended.get("mtime"), header.time()),
                extended.getOrDefault("linkpath", header.link()),
                header.major(),
                header.minor(),
                attributes(extended));
    }

    private static int id(@Nullable String extended, long plain) throws IOException {
        long id = extended == null ? plain : number(extended);
        if (id < 0 || id > MAX_ID) {
            throw new TarException("the owner " + id + " (expected: 0 to " + MAX_ID + ")");
        }
        return (int) id;
    }

    private static Map<String, String> attributes(Map<String, String> extended) {
        Map<String, String> attributes = new HashMap<>();
        extended.forEach((key, value) -> {
            if (key.startsWith(ATTRIBUTE)) {
                attributes.put(key.substring(ATTRIBUTE.length()).replace("%3D", "=").replace("%25", "%"), value); // as GNU tar writes them
            }
        });
        return attributes;
    }

    private @Nullable TarHeader header() throws IOException {
        byte[] block = new byte[TarHeader.SIZE];
        int count = in.readNBytes(block, 0, block.length);
        if (count == 0) {
            throw new TarException("the archive is cut off");
        }
        TarHeader header = new TarHeader(block);
        if (count < block.length) {
            throw new TarException("the archive ends in the middle of a header");
        }
        if (header.empty()) {
            in.readNBytes(new byte[1 << 16], 0, 1 << 16);
            return null;
        }
        header.check();
        return header;
    }

    private void skip() throws IOException {
        long rest = left + padding;
        left = 0;
        padding = 0;
        try {
            in.skipNBytes(rest);
        } catch (EOFException cut) {
            throw new TarException("the archive ends in the middle of an entry");
        }
    }

    private byte[] text() throws IOException {
        if (left > room) {
            throw new TarException("an extended header of " + left + " bytes (expected: at most " + MAX_EXTENDED + " for one entry)");
        }
        room -= left + TarHeader.SIZE;
        byte[] bytes = in.readNBytes((int) left);
        if (bytes.length < left) {
            throw new TarException("the archive ends in the middle of a header");
        }
        left = 0;
        return bytes;
    }

    /** Records of the form "length key=value\n"; the length counts the whole record. */
    private static void pax(byte[] bytes, Map<String, String> extended) throws IOException {
        int at = 0;
        while (at < bytes.length) {
            int space = at;
            while (space < bytes.length && bytes[space] != ' ') {
                space++;
            }
            long length = number(new String(bytes, at, space - at, StandardCharsets.ISO_8859_1));
            long end = at + length;
            if (end > bytes.length || end <= space + 1) {
                throw new TarException("malformed extended header");
            }
            String record = new String(bytes, space + 1, (int) end - space - 2, StandardCharsets.ISO_8859_1);
            int equals = record.indexOf('=');
            if (equals > 0) {
                extended.put(record.substring(0, equals), record.substring(equals + 1));
            }
            at = (int) end;
        }
    }

    private static String upToNul(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
    }

    private static long number(String digits) throws IOException {
        try {
            long value = Long.parseLong(digits);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException malformed) {
            throw new TarException("malformed number in an extended header", malformed);
        }
        throw new TarException("negative number in an extended header");
    }
}
