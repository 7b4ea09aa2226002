package dev.sandglass.pool.archive;

import dev.sandglass.wire.tar.TarHeader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes a tar archive whose names are bytes: what a plain header has no room for is in an extended one. Not thread-safe. */
public final class PaxWriter {
    private static final String ATTRIBUTE = "SCHILY.xattr.";

    private final OutputStream target;

    public PaxWriter(OutputStream target) {
        this.target = target;
    }

    /** What an entry is beside its content; texts have one character for each byte. */
    public record Facts(String name, int mode, int uid, int gid, long seconds, Map<String, String> attributes) {
        Facts named(String other) {
            return new Facts(other, mode, uid, gid, seconds, attributes);
        }

        /** A file that only says something by its name; when it was made differs wherever a layer is unpacked. */
        Facts mark(String other) {
            return new Facts(other, 0, 0, 0, 0, Map.of());
        }
    }

    /** Begins an entry; its content follows, and then {@link #pad}. */
    public void entry(char type, Facts facts, String link, long size) throws IOException {
        Map<String, String> extended = new LinkedHashMap<>();
        if (!TarHeader.fits(facts.name(), "", 0)) {
            extended.put("path", facts.name());
        }
        if (!TarHeader.fits("", link, 0)) {
            extended.put("linkpath", link);
        }
        if (!TarHeader.fits("", "", size)) {
            extended.put("size", Long.toString(size));
        }
        if (facts.uid() != 0) {
            extended.put("uid", Integer.toUnsignedString(facts.uid()));
        }
        if (facts.gid() != 0) {
            extended.put("gid", Integer.toUnsignedString(facts.gid()));
        }
        facts.attributes().forEach((name, value) -> extended.put(ATTRIBUTE + name, value));
        if (!extended.isEmpty()) {
            byte[] records = records(extended);
            target.write(TarHeader.write('x', "extended", "", 0644, records.length, 0));
            target.write(records);
            pad(records.length);
        }
        target.write(TarHeader.write(type, facts.name(), link, facts.mode(), size, facts.seconds()));
    }

    public void content(byte[] bytes, int from, int length) throws IOException {
        target.write(bytes, from, length);
    }

    /** Fills up behind so many bytes of content. */
    public void pad(long length) throws IOException {
        target.write(new byte[(int) (-length & (TarHeader.SIZE - 1))]);
    }

    public void finish() throws IOException {
        target.write(new byte[2 * TarHeader.SIZE]);
    }

    private static byte[] records(Map<String, String> extended) {
        StringBuilder all = new StringBuilder();
        extended.forEach((key, value) -> {
            String rest = " " + key + "=" + value + "\n";
            int length = rest.length() + Integer.toString(rest.length()).length();
            if (Integer.toString(length).length() > Integer.toString(rest.length()).length()) {
                length++;
            }
            all.append(length).append(rest);
        });
        return all.toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
