package dev.sandglass.server.e2b.envd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.MultiPart;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;

/** The parts of a form, one after the other as they come; none is kept. Used by one thread. */
final class Multipart {
    private static final int PIECE_BYTES = 1 << 16;
    private static final int MAX_HEAD_BYTES = 16 * 1024;
    private static final int MAX_PARTS = 10_000;

    /**
     * One of them.
     *
     * @param filename as it was sent, with all that is before its last slash
     * @param body to be read before the next part is asked for; what is left of it is skipped
     */
    record Part(Optional<String> name, Optional<String> filename, InputStream body) {}

    private sealed interface Piece {
        record Head(Optional<String> name, Optional<String> filename) implements Piece {}

        record Bytes(ByteBuffer bytes) implements Piece {}

        record End() implements Piece {}
    }

    private final InputStream source;
    private final MultiPart.Parser parser;
    private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    private @Nullable Throwable failure;
    private boolean complete;

    Multipart(InputStream source, String boundary) {
        this.source = source;
        this.parser = new MultiPart.Parser(boundary, new Listener());
        parser.setMaxParts(MAX_PARTS);
        parser.setPartHeadersMaxLength(MAX_HEAD_BYTES);
    }

    /** The next part; nothing behind the last one. */
    Optional<Part> next() throws IOException {
        while (advance()) {
            if (pieces.remove() instanceof Piece.Head(Optional<String> name, Optional<String> filename)) {
                return Optional.of(new Part(name, filename, new Body()));
            }
        }
        return Optional.empty();
    }

    /** Makes sure that there is a piece; false behind the last one. */
    private boolean advance() throws IOException {
        byte[] bytes = new byte[PIECE_BYTES];
        while (pieces.isEmpty() && !complete && failure == null) {
            int read = source.read(bytes);
            ByteBuffer piece = ByteBuffer.wrap(bytes, 0, Math.max(0, read));
            parser.parse(Content.Chunk.from(piece, read < 0));
        }
        if (pieces.isEmpty() && failure != null) {
            throw HttpRefusal.of(400, "error reading form: " + failure.getMessage());
        }
        return !pieces.isEmpty();
    }

    private final class Listener extends MultiPart.AbstractPartsListener {
        @Override
        public void onPartHeaders() {
            pieces.add(new Piece.Head(Optional.ofNullable(getName()), Optional.ofNullable(getFileName())));
        }

        @Override
        public void onPartContent(Content.Chunk chunk) {
            if (chunk.hasRemaining()) {
                ByteBuffer copy = ByteBuffer.allocate(chunk.remaining()).put(chunk.getByteBuffer().slice());
                pieces.add(new Piece.Bytes(copy.flip()));
            }
        }

        @Override
        public void onPart(@Nullable String name, @Nullable String fileName, HttpFields headers) {
            pieces.add(new Piece.End());
        }

        @Override
        public void onComplete() {
            complete = true;
        }

        @Override
        public void onFailure(Throwable broken) {
            failure = broken;
        }
    }

    private final class Body extends InputStream {
        private boolean ended;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            while (!ended && advance()) {
                switch (pieces.element()) {
                    case Piece.Bytes(ByteBuffer piece) when piece.hasRemaining() -> {
                        int part = Math.min(length, piece.remaining());
                        piece.get(bytes, offset, part);
                        return part;
                    }
                    case Piece.Bytes _ -> pieces.remove();
                    case Piece.End _ -> {
                        pieces.remove();
                        ended = true;
                    }
                    case Piece.Head _ -> ended = true;
                }
            }
            return -1;
        }
    }
}
