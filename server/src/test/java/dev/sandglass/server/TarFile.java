package dev.sandglass.server;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Tar archives made by hand, so that they can hold what no tar program would write. */
final class TarFile {
    private static final int BLOCK = 512;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    TarFile file(String name, String content) {
        return entry(name, '0', "", content.getBytes(StandardCharsets.UTF_8));
    }

    TarFile link(String name, String target) {
        return entry(name, '2', target, new byte[0]);
    }

    TarFile hardLink(String name, String target) {
        return entry(name, '1', target, new byte[0]);
    }

    TarFile device(String name) {
        return entry(name, '4', "", new byte[0]);
    }

    /** An entry of any type whose header says what it likes, with this many bytes behind it. */
    TarFile odd(String name, char type, String mode, String size, String time, byte[] content) {
        byte[] header = header(name, type, "");
        put(header, 100, mode);
        put(header, 124, size);
        put(header, 136, time);
        return add(header, content);
    }

    /** Extended attributes of the entry that follows. */
    TarFile extended(String key, String value) {
        int length = key.length() + value.length() + 3;
        int digits = Integer.toString(length + Integer.toString(length).length()).length();
        return entry("extended", 'x', "", ((length + digits) + " " + key + "=" + value + "\n").getBytes(StandardCharsets.UTF_8));
    }

    byte[] end() {
        bytes.writeBytes(new byte[2 * BLOCK]);
        return bytes.toByteArray();
    }

    private TarFile entry(String name, char type, String target, byte[] content) {
        byte[] header = header(name, type, target);
        put(header, 124, String.format(Locale.ROOT, "%011o ", content.length));
        return add(header, content);
    }

    private static byte[] header(String name, char type, String target) {
        byte[] header = new byte[BLOCK];
        put(header, 0, name);
        put(header, 100, "0000644\0");
        put(header, 108, "0000000\0");
        put(header, 116, "0000000\0");
        put(header, 136, "00000000000 ");
        header[156] = (byte) type;
        put(header, 157, target);
        put(header, 257, "ustar\00000");
        put(header, 329, "0000376\0");
        put(header, 337, "0000000\0");
        return header;
    }

    private TarFile add(byte[] header, byte[] content) {
        put(header, 148, "        ");
        int sum = 0;
        for (byte value : header) {
            sum += value & 0xff;
        }
        put(header, 148, String.format(Locale.ROOT, "%06o\0 ", sum));
        bytes.writeBytes(header);
        bytes.writeBytes(content);
        bytes.writeBytes(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
        return this;
    }

    private static void put(byte[] header, int at, String text) {
        byte[] raw = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(raw, 0, header, at, raw.length);
    }
}
