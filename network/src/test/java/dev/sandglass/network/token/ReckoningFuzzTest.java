package dev.sandglass.network.token;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What fuzzing found, and what it began with, costs what it should. */
class ReckoningFuzzTest {
    static List<Path> corpus() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/test/corpus/answers"))) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void costsTheSameInWhateverPieces(Path input) {
        assertThatCode(() -> ReckoningFuzz.fuzzerTestOneInput(Files.readAllBytes(input))).doesNotThrowAnyException();
    }
}
