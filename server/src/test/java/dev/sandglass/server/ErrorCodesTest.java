package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever gets an error finds its code in the guide. */
class ErrorCodesTest {
    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void everyCodeIsExplained(ErrorCode code) throws IOException {
        assertThat(Files.readAllLines(Path.of("..", "docs", "operations.md")))
                .filteredOn(line -> line.startsWith("| `") && line.split("\\|")[1].contains("`" + code.text() + "`"))
                .hasSize(1);
    }
}
