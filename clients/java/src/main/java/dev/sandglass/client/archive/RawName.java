package dev.sandglass.client.archive;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Names of files as the bytes that they are, of any encoding or none; a string has one character for each byte (ISO 8859-1).
 *
 * <p>A {@link Path} keeps such bytes, but shows and takes them only as a URI.
 */
final class RawName {
    private static final Path ROOT = Path.of("/");

    private RawName() {}

    /** The bytes of a path, absolute or relative. */
    static String of(Path path) {
        String text = path.toString();
        if (ascii(text)) {
            return text;
        }
        String encoded = ROOT.resolve(path).toUri().getRawPath();
        int end = encoded.endsWith("/") ? encoded.length() - 1 : encoded.length();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int at = path.isAbsolute() ? 0 : 1; at < end; at++) {
            if (encoded.charAt(at) == '%') {
                bytes.write(Integer.parseInt(encoded.substring(at + 1, at + 3), 16));
                at += 2;
            } else {
                bytes.write(encoded.charAt(at));
            }
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /** The path with those bytes. */
    static Path path(String raw) {
        if (ascii(raw)) {
            return Path.of(raw);
        }
        StringBuilder encoded = new StringBuilder(raw.startsWith("/") ? "file://" : "file:///");
        for (int i = 0; i < raw.length(); i++) {
            char value = raw.charAt(i);
            if (value == '/') {
                encoded.append(value);
            } else {
                encoded.append(String.format("%%%02X", (int) value));
            }
        }
        Path absolute = Path.of(URI.create(encoded.toString()));
        return raw.startsWith("/") ? absolute : absolute.subpath(0, absolute.getNameCount());
    }

    /** Text as a name. */
    static String ofText(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** A name as text for people. */
    static String shown(String raw) {
        return new String(bytes(raw), StandardCharsets.UTF_8);
    }

    static byte[] bytes(String raw) {
        return raw.getBytes(StandardCharsets.ISO_8859_1);
    }

    static boolean ascii(String text) {
        return text.chars().allMatch(character -> character < 0x80);
    }
}
