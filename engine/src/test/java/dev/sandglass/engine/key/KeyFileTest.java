package dev.sandglass.engine.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFileTest {
    @TempDir
    private Path directory;

    private KeyFile key() {
        return new KeyFile(directory.resolve("some.key"), "key file", "Put it back.");
    }

    private void hold(byte[] content, String mode) throws IOException {
        Files.write(key().file(), content);
        Files.setPosixFilePermissions(key().file(), PosixFilePermissions.fromString(mode));
    }

    @Test
    void whatWasMadeIsRead() throws IOException {
        byte[] made = key().readOrCreate();
        assertThat(made).hasSize(32);
        assertThat(key().readOrCreate()).isEqualTo(made);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key().file()))).isEqualTo("rw-------");
    }

    /** A daemon that is killed between the two steps of making one leaves such a file, with a key in it. */
    @Test
    void whatIsLeftOfAnUnfinishedOneGoesAtTheNextStart() throws IOException {
        byte[] made = key().readOrCreate();
        Path left = Files.writeString(directory.resolve(".some.key-4711"), "0".repeat(64));
        Path other = Files.writeString(directory.resolve(".other.key-4711"), "0".repeat(64));
        assertThat(key().readOrCreate()).isEqualTo(made);
        assertThat(left).doesNotExist();
        assertThat(other).exists();
    }

    /** A daemon that is replaced by a newer one has written the gateway's so: with another one, processes in copies would no longer trust it. */
    @Test
    void rawBytesOfAnEarlierVersionAreAKey() throws IOException {
        byte[] raw = "0123456789abcdef0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        hold(raw, "rw-------");
        assertThat(key().readOrCreate()).isEqualTo(raw);
    }

    @Test
    void whatOthersCanReadOrIsNoKeyIsRefused() throws IOException {
        hold(new byte[32], "rw-r-----");
        assertThatThrownBy(key()::readOrCreate).isInstanceOf(SandglassException.class).hasMessageContaining("rw-r-----");
        hold(new byte[31], "rw-------");
        assertThatThrownBy(key()::readOrCreate).isInstanceOf(SandglassException.class).hasMessageContaining("64 hexadecimal digits");
    }
}
