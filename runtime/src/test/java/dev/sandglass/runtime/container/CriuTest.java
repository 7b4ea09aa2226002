package dev.sandglass.runtime.container;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CriuTest {
    @Test
    void oneThatIsTooOldSaysWhatIsExpected() {
        Criu debian12 = Criu.parse("Version: 3.17.1\nGitID: v3.17\n").orElseThrow();
        assertThat(debian12.obstacle()).hasValue("CRIU 3.17 is too old (expected: 4.1 or later)");
        assertThat(Criu.parse("Version: 4.0").orElseThrow().obstacle()).isPresent();
        assertThat(Criu.parse("no such program")).isEmpty();
    }

    @Test
    void containersSayWhyTheirMemoryIsNotCaptured() {
        assertThat(new ContainerCapture().obstacle("1.0")).get().asString().contains("CRIU");
    }
}
