package dev.sandglass.wire.tar;

import dev.sandglass.wire.tar.TarEntry.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The 512 bytes that stand before an entry (POSIX ustar), read and written. */
public final class TarHeader {
    public static final int SIZE = 512;
    private static final int NAME = 0;
    private static final int NAME_LENGTH = 100;
    private static final int MODE = 100;
    private static final int UID = 108;
    private static final int GID = 116;
    private static final int LENGTH = 124;
    private static final int TIME = 136;
    private static final int CHECKSUM = 148;
    private static final int TYPE = 156;
    private static final int LINK = 157;
    private static final int MAGIC = 257;
    private static final int MAJOR = 329;
    private static final int MINOR = 337;
    private static final int PREFIX = 345;
    private static final int PREFIX_LENGTH = 155;
    private static final long MAX_OCTAL = 077777777777L;

    private final byte[] block;

    TarHeader(byte[] block) {
        this.block = block;
    }

    boolean empty() {
        for (byte value : block) {
            if (value != 0) {
                return false;
            }
        }
        return true;
    }

    void check() throws IOException {
        if (checksum() != number(CHECKSUM, 8)) {
            throw new TarException("not a tar archive: wrong checksum of a header");
        }
    }

    char type() {
        return (char) (block[TYPE] & 0xff);
    }

    String name() {
        String name = text(NAME, NAME_LENGTH);
        String prefix = block[MAGIC + 5] == 0 ? text(PREFIX, PREFIX_LENGTH) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    String link() {
        return text(LINK, NAME_LENGTH);
    }

    long length() throws IOException {
        return number(LENGTH, 12);
    }

    long uid() throws IOException {
        return number(UID, 8);
    }

    long gid() throws IOException {
        return number(GID, 8);
    }

    int major() throws IOException {
        return (int) number(MAJOR, 8);
    }

    int minor() throws IOException {
        return (int) number(MINOR, 8);
    }

    long time() throws IOException {
        return number(TIME, 12);
    }

    int mode() throws IOException {
        return (int) (number(MODE, 8) & 07777);
    }

    Kind kind() {
        return switch (type()) {
            case '0', '\0', '7' -> Kind.FILE;
            case '1' -> Kind.HARD_LINK;
            case '2' -> Kind.SYMBOLIC_LINK;
            case '3' -> Kind.CHARACTER_DEVICE;
            case '4' -> Kind.BLOCK_DEVICE;
            case '5' -> Kind.DIRECTORY;
            case '6' -> Kind.FIFO;
            default -> Kind.OTHER;
        };
    }

    /** Whether everything fits into a plain header, or an extended one must tell. */
    public static boolean fits(String name, String link, long length) {
        return name.length() <= NAME_LENGTH && link.length() <= NAME_LENGTH && length <= MAX_OCTAL;
    }

    public static byte[] write(char type, String name, String link, int mode, long length, long time) {
        byte[] block = new byte[SIZE];
        System.arraycopy(name.getBytes(StandardCharsets.ISO_8859_1), 0, block, NAME, Math.min(name.length(), NAME_LENGTH));
        System.arraycopy(link.getBytes(StandardCharsets.ISO_8859_1), 0, block, LINK, Math.min(link.length(), NAME_LENGTH));
        octal(block, MODE, 8, mode);
        octal(block, UID, 8, 0);
        octal(block, GID, 8, 0);
        octal(block, LENGTH, 12, Math.min(length, MAX_OCTAL));
        octal(block, TIME, 12, Math.max(0, Math.min(time, MAX_OCTAL)));
        block[TYPE] = (byte) type;
        byte[] magic = "ustar\00000".getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(magic, 0, block, MAGIC, magic.length);
        octal(block, CHECKSUM, 7, new TarHeader(block).checksum());
        block[CHECKSUM + 7] = ' ';
        return block;
    }

    private long checksum() {
        long sum = 8 * ' ';
        for (int i = 0; i < SIZE; i++) {
            sum += i >= CHECKSUM && i < CHECKSUM + 8 ? 0 : block[i] & 0xff;
        }
        return sum;
    }

    private String text(int from, int length) {
        int end = from;
        while (end < from + length && block[end] != 0) {
            end++;
        }
        return new String(Arrays.copyOfRange(block, from, end), StandardCharsets.ISO_8859_1);
    }

    /** Octal digits, or, with the highest bit set, a binary number. */
    private long number(int from, int length) throws IOException {
        long value = 0;
        if ((block[from] & 0x80) != 0) {
            for (int i = from + length - 8; i < from + length; i++) {
                value = (value << 8) | (block[i] & 0xff);
            }
            return value;
        }
        String digits = text(from, length).strip();
        try {
            return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
        } catch (NumberFormatException malformed) {
            throw new TarException("not a tar archive: malformed number in a header", malformed);
        }
    }

    private static void octal(byte[] block, int at, int length, long value) {
        String digits = Long.toOctalString(value);
        Arrays.fill(block, at, at + length - 1, (byte) '0');
        byte[] bytes = digits.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(bytes, 0, block, at + length - 1 - bytes.length, bytes.length);
    }
}
