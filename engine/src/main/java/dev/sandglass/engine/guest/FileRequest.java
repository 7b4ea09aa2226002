package dev.sandglass.engine.guest;

import java.time.Instant;

/** A file operation for the agent; the numbers are those of docs/guest-protocol.md. Not thread-safe. */
public final class FileRequest {
    /** What to do. */
    public enum Operation {
        READ(1),
        WRITE(2),
        STAT(3),
        LIST(4),
        MKDIR(5),
        MOVE(6),
        REMOVE(7),
        SET(8),
        XATTR_GET(9),
        XATTR_SET(10),
        XATTR_REMOVE(11),
        WATCH(12),
        PACK(13),
        UNPACK(14),
        LINK(15),
        DELETED(16),
        PROCESSES(17),
        BIND(18),
        UNBIND(19);

        private final int number;

        Operation(int number) {
            this.number = number;
        }
    }

    private static final long NANOS = 1_000_000_000;

    private final Fields fields = new Fields();

    public FileRequest(Operation operation, String path) {
        fields.u8(1, operation.number).text(2, path);
    }

    public FileRequest secondPath(String path) {
        fields.text(3, path);
        return this;
    }

    public FileRequest user(String user) {
        fields.text(4, user);
        return this;
    }

    public FileRequest flags(int flags) {
        fields.u32(5, flags);
        return this;
    }

    public FileRequest mode(int mode) {
        fields.u32(6, mode);
        return this;
    }

    public FileRequest range(long offset, long length) {
        fields.u64(7, offset).u64(8, length);
        return this;
    }

    public FileRequest depth(int depth) {
        fields.u32(9, depth);
        return this;
    }

    public FileRequest owner(String owner) {
        fields.text(10, owner);
        return this;
    }

    public FileRequest group(String group) {
        fields.text(11, group);
        return this;
    }

    public FileRequest attribute(String name) {
        fields.text(12, name);
        return this;
    }

    public FileRequest value(byte[] value) {
        fields.bytes(13, value);
        return this;
    }

    /** When the file is said to have been changed. */
    public FileRequest modifiedAt(Instant time) {
        fields.u64(14, Math.addExact(Math.multiplyExact(time.getEpochSecond(), NANOS), time.getNano()));
        return this;
    }

    byte[] encode() {
        return fields.toByteArray();
    }
}
