package dev.sandglass.cli.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Passes text on to a terminal with everything that the terminal could act on made visible; line ends and tabs stay. */
public final class InertOutput extends FilterOutputStream {
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final ByteBuffer pending = ByteBuffer.allocate(8192);
    private final CharBuffer text = CharBuffer.allocate(8192);

    public InertOutput(OutputStream out) {
        super(out);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int at = offset;
        while (at < offset + length) {
            int part = Math.min(pending.remaining(), offset + length - at);
            pending.put(bytes, at, part);
            at += part;
            pending.flip();
            decoder.decode(pending, text, false);
            pending.compact();
            text.flip();
            out.write(safe(text.toString()).getBytes(StandardCharsets.UTF_8));
            text.clear();
        }
    }

    private static String safe(String text) {
        StringBuilder safe = new StringBuilder(text.length());
        int from = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || text.charAt(i) == '\n' || text.charAt(i) == '\t') {
                safe.append(Inert.text(text.substring(from, i)));
                safe.append(i < text.length() ? text.substring(i, i + 1) : "");
                from = i + 1;
            }
        }
        return safe.toString();
    }
}
