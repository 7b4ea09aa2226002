package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes a list of fields. Not thread-safe. */
final class Fields {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream data = new DataOutputStream(bytes);

    Fields text(int tag, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "A text has a NUL character in it.", "Arguments, variables and paths cannot hold NUL.");
        }
        return bytes(tag, text.getBytes(StandardCharsets.UTF_8));
    }

    Fields u8(int tag, int value) {
        return bytes(tag, new byte[] {(byte) value});
    }

    Fields u32(int tag, long value) {
        return write(() -> {
            header(tag, Integer.BYTES);
            data.writeInt((int) value);
        });
    }

    Fields u64(int tag, long value) {
        return write(() -> {
            header(tag, Long.BYTES);
            data.writeLong(value);
        });
    }

    Fields bytes(int tag, byte[] value) {
        return write(() -> {
            header(tag, value.length);
            data.write(value);
        });
    }

    byte[] toByteArray() {
        if (bytes.size() > Protocol.MAX_MESSAGE_BYTES) {
            throw new SandglassException(
                    ErrorCode.TOO_LARGE,
                    "The request is " + bytes.size() + " bytes long (expected: <= " + Protocol.MAX_MESSAGE_BYTES + ").",
                    "Pass less in arguments and variables; large input goes through standard input or a file.");
        }
        return bytes.toByteArray();
    }

    private void header(int tag, int length) throws IOException {
        data.writeByte(tag);
        data.writeInt(length);
    }

    private Fields write(Step step) {
        try {
            step.run();
            return this;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private interface Step {
        void run() throws IOException;
    }
}
