package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The token is made once, kept private, and never shown by accident. */
class TokenTest {
    @TempDir
    private Path directory;

    @Test
    void isMadeOnceAndReadLater() throws IOException {
        Path file = directory.resolve("token");
        Token made = Token.at(file);
        assertThat(made.text()).matches("[0-9a-f]{64}");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(Token.at(file).text()).isEqualTo(made.text());
        assertThat(Token.at(directory.resolve("other")).text()).isNotEqualTo(made.text());
        try (var left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString())).as("no temporary files").containsExactlyInAnyOrder("token", "other");
        }
    }

    @Test
    void aFileThatOthersCanReadIsRefused() throws IOException {
        Path file = directory.resolve("token");
        Token.at(file);
        for (String mode : new String[] {"rw-r-----", "rw----r--", "rw--w----"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            assertThatThrownBy(() -> Token.at(file)).isInstanceOf(SandglassException.class).hasMessageContaining(mode);
        }
    }

    @Test
    void aLinkAnEmptyFileAndGarbageAreRefused() throws IOException {
        Path real = directory.resolve("real");
        Token.at(real);
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        assertThatThrownBy(() -> Token.at(link)).hasMessageContaining("regular file");
        for (String content : new String[] {"", "short", "g".repeat(64), "0".repeat(1000)}) {
            Files.writeString(real, content);
            assertThatThrownBy(() -> Token.at(real)).hasMessageContaining("64 hexadecimal digits");
        }
    }

    @Test
    void matchesOnlyItself() throws IOException {
        Token token = Token.at(directory.resolve("token"));
        assertThat(token.matches(token.text())).isTrue();
        assertThat(token.matches("")).isFalse();
        assertThat(token.matches(token.text() + "0")).isFalse();
        assertThat(token.toString()).doesNotContain(token.text());
    }
}
