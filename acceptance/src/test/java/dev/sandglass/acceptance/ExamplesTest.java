package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts of {@code docs/examples} do what they say from any directory, and leave nothing. */
@ExtendWith(SharedCheckout.class)
@Timeout(900)
class ExamplesTest {
    /** Lines that each of them prints, in this order. */
    private static final Map<String, List<String>> PRINTED = Map.of(
            "golden-image.sh",
                    List.of("version 1", "example-golden   ready version 1", "example-worker-3 ", " created ", "example-golden   ready version 2", " changed ", "version 1\n", "version 1\n", "version 1\n", "version 2\n", " replaced ",
                            "version 2\n", "version 2\n", "version 2\n", "version 2\n"),
            "fleet.sh", List.of(" failed ", "(ended with 1)", " finished ", "hello from a file\n", " updated ", " removed ", "example-worker "),
            "rewind.sh", List.of("\n42\n", "Fatal Python error", "/workspace/program.py", "\n42\n", "succeeded", "\nfound\n"),
            "service.sh", List.of("web   running", "\nit works\n", "without the link: 401", "example-shop   stopped", "example-shop   running", "\nit works\n"));

    @ParameterizedTest
    @ValueSource(strings = {"golden-image.sh", "fleet.sh", "rewind.sh", "service.sh"})
    void eachDoesWhatItSaysAndLeavesNothing(String script, Checkout checkout) throws IOException, InterruptedException {
        Checkout.Outcome outcome = checkout.bash("cd / && '" + checkout.root() + "/docs/examples/" + script + "'");
        assertThat(outcome.status()).as(outcome.stdout() + outcome.stderr()).isZero();
        assertThat(outcome.stdout()).as(outcome.stderr()).containsSubsequence(PRINTED.getOrDefault(script, List.of()));
        assertThat(checkout.check("./sandglass ls -q -o table --filter name=example-; ./sandglass snapshot ls -o json | grep -o example- || true; ./sandglass template ls -q | grep example- || true; "
                + "./sandglass volume ls -o json | grep -o example- || true")).isEmpty();
    }

    @Test
    void allOfThemAreTriedAndListed(Checkout checkout) throws IOException {
        Path directory = checkout.root().resolve("docs/examples");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".sh"))).containsExactlyInAnyOrderElementsOf(PRINTED.keySet());
        }
        assertThat(Files.readString(directory.resolve("README.md"))).contains(PRINTED.keySet());
    }
}
