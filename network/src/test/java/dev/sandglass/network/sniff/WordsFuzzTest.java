package dev.sandglass.network.sniff;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What fuzzing found, and what it began with, is answered alike, whole and in pieces. */
class WordsFuzzTest {
    static List<Path> corpus() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/test/corpus/words"))) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void holds(Path input) {
        assertThatCode(() -> WordsFuzz.fuzzerTestOneInput(Files.readAllBytes(input))).doesNotThrowAnyException();
    }
}
