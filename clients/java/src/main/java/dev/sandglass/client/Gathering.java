package dev.sandglass.client;

import dev.sandglass.wire.Exit;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a command prints, told to who wants to hear it and kept within a bound. */
final class Gathering implements Output.Listener {
    static final int MOST = 16 << 20;

    private final Kind stdout;
    private final Kind stderr;
    private boolean truncated;

    Gathering(@Nullable Consumer<String> onStdout, @Nullable Consumer<String> onStderr) {
        stdout = new Kind(onStdout);
        stderr = new Kind(onStderr);
    }

    @Override
    public void printed(boolean error, byte[] bytes) {
        (error ? stderr : stdout).add(bytes);
    }

    @Override
    public void dropped(long bytes) {
        truncated = true;
    }

    CommandResult result(Exit exit) {
        return CommandResult.of(exit, stdout.text(), stderr.text(), truncated || stdout.truncated || stderr.truncated);
    }

    /** Output of one kind. A character that comes in two pieces is told when it is whole. */
    private static final class Kind {
        private final @Nullable Consumer<String> listener;
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private final CharsetDecoder decoder =
                StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPLACE).onUnmappableCharacter(CodingErrorAction.REPLACE);
        private byte[] begun = {};
        private boolean truncated;

        Kind(@Nullable Consumer<String> listener) {
            this.listener = listener;
        }

        void add(byte[] bytes) {
            int room = Math.min(bytes.length, MOST - kept.size());
            truncated |= room < bytes.length;
            kept.write(bytes, 0, room);
            if (listener != null) {
                String text = decoded(bytes);
                if (!text.isEmpty()) {
                    listener.accept(text);
                }
            }
        }

        String text() {
            return kept.toString(StandardCharsets.UTF_8);
        }

        private String decoded(byte[] bytes) {
            ByteBuffer in = ByteBuffer.allocate(begun.length + bytes.length).put(begun).put(bytes).flip();
            CharBuffer out = CharBuffer.allocate(in.remaining() + 1);
            decoder.reset().decode(in, out, false);
            begun = new byte[in.remaining()];
            in.get(begun);
            return out.flip().toString();
        }
    }
}
