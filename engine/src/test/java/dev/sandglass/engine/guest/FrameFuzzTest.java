package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What fuzzing found, and what it began with, is read as it should be. */
class FrameFuzzTest {
    static List<Path> corpus() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/test/corpus/frames"))) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void isReadOrGivenUp(Path input) {
        assertThatCode(() -> FrameFuzz.fuzzerTestOneInput(Files.readAllBytes(input))).doesNotThrowAnyException();
    }
}
