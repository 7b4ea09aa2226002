package dev.sandglass.engine.manifest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Bytes as a value: a file's name, a link's target, a hash. Ordered by unsigned bytes. Immutable. */
public final class Bytes implements Comparable<Bytes> {
    private final byte[] content;

    private Bytes(byte[] content) {
        this.content = content;
    }

    public static Bytes of(byte[] content) {
        return new Bytes(content.clone());
    }

    public static Bytes of(String text) {
        return new Bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    public byte[] toArray() {
        return content.clone();
    }

    public int length() {
        return content.length;
    }

    public String hex() {
        return HexFormat.of().formatHex(content);
    }

    /** For people: printable ASCII as it is, everything else as {@code \xNN}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (byte each : content) {
            if (each >= ' ' && each < 127 && each != '\\') {
                text.append((char) each);
            } else {
                text.append("\\x").append(HexFormat.of().toHexDigits(each));
            }
        }
        return text.toString();
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(content, other.content);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes bytes && Arrays.equals(content, bytes.content);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(content);
    }
}
