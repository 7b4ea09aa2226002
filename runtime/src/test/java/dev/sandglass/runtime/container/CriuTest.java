package dev.sandglass.runtime.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CriuTest {
    @Test
    void oneThatIsTooOldSaysWhatIsExpected() {
        assertThat(criu("Version: 3.17.1\nGitID: v3.17\n").orElseThrow().obstacle()).hasValue("CRIU 3.17 is too old (expected: 4.1 or later)");
        assertThat(criu("Version: 4.0").orElseThrow().obstacle()).isPresent();
        assertThat(criu("no such program")).isEmpty();
    }

    @Test
    void oneWhoseCheckFailsSaysWhy() {
        assertThat(criu("Version: 4.1").orElseThrow().obstacle()).get().asString().contains("`criu check` of CRIU 4.1 fails").contains("/nonexistent/criu");
    }

    private static Optional<Criu> criu(String answer) {
        return Criu.parse(Path.of("/nonexistent/criu"), answer);
    }
}
