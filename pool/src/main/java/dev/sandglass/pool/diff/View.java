package dev.sandglass.pool.diff;

import dev.sandglass.engine.diff.Version;
import dev.sandglass.linux.ExtendedAttribute;
import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.OpenFile;
import dev.sandglass.wire.StorageFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** What an overlay shows at a path. */
sealed interface View {
    int BUFFER = 256 * 1024;

    record Absent() implements View {}

    /** Something that is there: an entry, called by its name in a directory of the topmost layer that has it. */
    sealed interface Present extends View, Version {
        Source where();

        byte[] name();

        FileFacts facts();

        @Override
        default String kind() {
            return switch (facts().type()) {
                case FileFacts.REGULAR -> "file";
                case FileFacts.DIRECTORY -> "directory";
                case FileFacts.LINK -> "link";
                case FileFacts.FIFO -> "fifo";
                case FileFacts.SOCKET -> "socket";
                default -> "device";
            };
        }

        @Override
        default int permissions() {
            return facts().mode() & 07777;
        }

        @Override
        default long uid() {
            return Integer.toUnsignedLong(facts().uid());
        }

        @Override
        default long gid() {
            return Integer.toUnsignedLong(facts().gid());
        }

        @Override
        default long size() {
            return facts().isRegular() ? facts().size() : 0;
        }

        @Override
        default Optional<String> target() {
            try {
                return facts().type() == FileFacts.LINK
                        ? Optional.of(new String(where().directory().linkTarget(name()), StandardCharsets.UTF_8))
                        : Optional.empty();
            } catch (IOException problem) {
                throw StorageFailure.of("A link cannot be read", problem);
            }
        }

        @Override
        default byte[] read(int most) {
            if (!facts().isRegular()) {
                return new byte[0];
            }
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            try (OpenFile file = content()) {
                while (content.size() < most && file.read(buffer).hasRemaining()) {
                    byte[] piece = new byte[Math.min(buffer.remaining(), most - content.size())];
                    buffer.get(piece);
                    content.writeBytes(piece);
                }
                return content.toByteArray();
            } catch (IOException problem) {
                throw StorageFailure.of("A file cannot be read", problem);
            }
        }

        default OpenFile content() throws IOException {
            return where().directory().file(name());
        }

        default List<ExtendedAttribute> attributes() throws IOException {
            return where().attributes(name());
        }
    }

    /** Anything but a directory. */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
    record Leaf(Source where, byte[] name, FileFacts facts) implements Present {}

    /**
     * A directory.
     *
     * @param own those of layers that the other overlay does not have, top first, open
     * @param open whether layers that both overlays have show through
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
    record Tree(Source where, byte[] name, FileFacts facts, List<Source> own, boolean open) implements Present {}
}
