package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The client for Python does what its own tests say: the scenarios that all clients play, the examples, and what only it does. */
@ExtendWith(SharedCheckout.class)
@Timeout(1200)
class PythonTest {
    static List<String> files() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("../clients/python/tests"))) {
            return all.map(file -> file.getFileName().toString()).filter(name -> name.startsWith("test_")).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void itsTestsPass(String file, Checkout checkout) throws IOException, InterruptedException {
        Checkout.Outcome outcome = checkout.bash("SANDGLASS_TEST_DAEMON=1 python3 -B -m unittest discover -s clients/python/tests -p " + file);
        assertThat(outcome.status()).as(outcome.stdout() + outcome.stderr()).isZero();
        assertThat(outcome.stderr()).containsPattern("Ran [1-9][0-9]* test").doesNotContain("skipped");
    }
}
