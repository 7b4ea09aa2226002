package dev.sandglass.engine.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A list of fields that came in. Asking for a field of another size than it has is a protocol error. */
public final class FieldReader {
    private record Field(int tag, ByteBuffer value) {}

    private final List<Field> fields = new ArrayList<>();

    FieldReader(ByteBuffer bytes) throws ProtocolException {
        ByteBuffer rest = bytes.duplicate();
        while (rest.hasRemaining()) {
            if (rest.remaining() < 5) {
                throw new ProtocolException("a field of " + rest.remaining() + " bytes (expected: >= 5)");
            }
            int tag = Byte.toUnsignedInt(rest.get());
            int length = rest.getInt();
            if (length < 0 || length > rest.remaining()) {
                throw new ProtocolException("field length: " + length + " (expected: 0 to " + rest.remaining() + ")");
            }
            fields.add(new Field(tag, rest.slice(rest.position(), length)));
            rest.position(rest.position() + length);
        }
    }

    public Optional<String> text(int tag) {
        return first(tag).map(FieldReader::decode);
    }

    public List<String> texts(int tag) {
        List<String> texts = new ArrayList<>();
        for (Field field : fields) {
            if (field.tag == tag) {
                texts.add(decode(field.value));
            }
        }
        return texts;
    }

    public Optional<byte[]> bytes(int tag) {
        return first(tag).map(value -> {
            byte[] bytes = new byte[value.remaining()];
            value.duplicate().get(bytes);
            return bytes;
        });
    }

    /** Of each field with that tag. */
    public List<byte[]> all(int tag) {
        List<byte[]> all = new ArrayList<>();
        for (Field field : fields) {
            if (field.tag == tag) {
                byte[] bytes = new byte[field.value.remaining()];
                field.value.duplicate().get(bytes);
                all.add(bytes);
            }
        }
        return all;
    }

    /** An unsigned number of one, two, four or eight bytes; 0 if absent. */
    public long number(int tag) throws IOException {
        Optional<ByteBuffer> value = first(tag);
        if (value.isEmpty()) {
            return 0;
        }
        ByteBuffer bytes = value.get();
        return switch (bytes.remaining()) {
            case 1 -> Byte.toUnsignedLong(bytes.get(0));
            case 2 -> Short.toUnsignedLong(bytes.getShort(0));
            case 4 -> Integer.toUnsignedLong(bytes.getInt(0));
            case 8 -> bytes.getLong(0);
            default -> throw new ProtocolException("number of " + bytes.remaining() + " bytes in field " + tag);
        };
    }

    public boolean has(int tag) {
        return first(tag).isPresent();
    }

    private Optional<ByteBuffer> first(int tag) {
        for (Field field : fields) {
            if (field.tag == tag) {
                return Optional.of(field.value);
            }
        }
        return Optional.empty();
    }

    private static String decode(ByteBuffer value) {
        return StandardCharsets.UTF_8.decode(value.duplicate()).toString();
    }
}
