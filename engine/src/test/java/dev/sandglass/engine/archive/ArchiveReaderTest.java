package dev.sandglass.engine.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.wire.ArchiveHeader;
import dev.sandglass.wire.CommandSettings;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands first in a file is taken within bounds, or refused. */
class ArchiveReaderTest {
    private static final ArchiveHeader HEADER = new ArchiveHeader(
            ArchiveFormat.VERSION, "snap-000000000000", "name", "sbx-000000000000", "heron", "container", "amd64", "0123456789ab", null, 1, 5, "", Map.of("a", "b"), Instant.EPOCH, null,
            List.of(new ArchiveHeader.Part("layer", 10, 1, 0, "00")), new CommandSettings("dev", "/srv", Map.of("A", "b"), List.of(), List.of("x")));

    @Test
    void whatWasWrittenIsRead() throws IOException {
        ArchiveReader reader = new ArchiveReader(new ByteArrayInputStream(written()));
        assertThat(reader.header()).isEqualTo(HEADER);
        reader.finish();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "null", "[]", "{}", "{\"version\":3}", "{\"version\":2,\"parts\":[null]}", "{\"version\":2,\"parts\":{}}", "\u0000",
                "{\"version\":2,\"snapshot\":\"s\",\"sandbox\":\"s\",\"sandbox_name\":\"s\",\"runtime\":\"r\",\"architecture\":\"a\",\"image\":\"i\",\"description\":\"\",\"labels\":{},\"created_at\":\"1970-01-01T00:00:00Z\",\"parts\":[{\"role\":\"layer\",\"manifest_bytes\":-1,\"entries\":1,\"bytes\":1,\"digest\":\"\"}]}",
                "{\"version\":2,\"snapshot\":\"s\",\"sandbox\":\"s\",\"sandbox_name\":\"s\",\"runtime\":\"r\",\"architecture\":\"a\",\"image\":\"i\",\"description\":\"\",\"labels\":{},\"created_at\":\"1970-01-01T00:00:00Z\",\"parts\":[{\"role\":\"layer\",\"manifest_bytes\":1,\"entries\":1,\"bytes\":999999999999999,\"digest\":\"\"}]}"
            })
    void aHeaderThatIsNoneIsRefused(String text) {
        byte[] json = text.getBytes(StandardCharsets.UTF_8);
        refused(ByteBuffer.allocate(16 + json.length).putLong(ArchiveFormat.MAGIC).putInt(1).putInt(json.length).put(json).array());
    }

    @Test
    void aHeaderOfAnyLengthTakesNoMemory() {
        for (int length : new int[] {-1, 0, 5 << 20, Integer.MAX_VALUE}) {
            refused(ByteBuffer.allocate(16).putLong(ArchiveFormat.MAGIC).putInt(1).putInt(length).array());
        }
    }

    @Test
    void anythingCutOffOrChangedIsRefusedOrStillAHeader() throws IOException {
        byte[] whole = written();
        for (int length = 0; length < whole.length - 8; length++) {
            refused(Arrays.copyOf(whole, length));
        }
        Random random = new Random(3);
        for (int round = 0; round < 5000; round++) {
            byte[] changed = whole.clone();
            changed[random.nextInt(whole.length)] = (byte) random.nextInt();
            try {
                new ArchiveReader(new ByteArrayInputStream(changed)).finish();
            } catch (SandglassException refusal) {
                assertThat(refusal.code()).isEqualTo(ErrorCode.ARCHIVE_REFUSED);
            }
        }
    }

    private static byte[] written() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        new ArchiveWriter(file, HEADER).finish();
        return file.toByteArray();
    }

    private static void refused(byte[] file) {
        SandglassException refusal = catchThrowableOfType(SandglassException.class, () -> new ArchiveReader(new ByteArrayInputStream(file)));
        assertThat(refusal).as("it is refused").isNotNull();
        assertThat(refusal.code()).isEqualTo(ErrorCode.ARCHIVE_REFUSED);
    }
}
