package dev.sandglass.engine.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LandingTest {
    private static final long MB = 1 << 20;

    @TempDir
    Path directory;

    @Test
    void allThatLandsTakesAtMostHalfOfWhatTheMachineCanSpare() throws IOException {
        Landing landing = Landing.at(directory, () -> 1000 * MB);
        assertThat(landing.take("one", 400 * MB)).contains(directory.resolve("one"));
        assertThat(landing.take("two", 400 * MB)).isEmpty();
        assertThat(landing.take("three", 200 * MB)).isEmpty();
        assertThat(landing.take("three", 100 * MB)).isPresent();
        landing.remove("one");
        assertThat(landing.take("two", 300 * MB)).isPresent();
        assertThat(landing.names()).containsExactlyInAnyOrder("two", "three");
    }

    @Test
    void whatGrowsIsPromisedMoreOrHasNoRoom() throws IOException {
        long[] free = {1000 * MB};
        Landing landing = Landing.at(directory, () -> free[0]);
        landing.take("one", 300 * MB);
        assertThat(landing.grow("one", 200 * MB)).isTrue();
        free[0] -= 300 * MB; // it took its room
        assertThat(landing.grow("one", 400 * MB)).isTrue();
        assertThat(landing.take("two", 0)).as("what is promised is not promised twice").isEmpty();
        assertThat(landing.grow("one", 1000 * MB)).isFalse();
        assertThat(landing.grow("elsewhere", 1000 * MB)).as("the pool has its own limits").isTrue();
    }

    @Test
    void whatIsRemovedIsGoneWithItsFiles() throws IOException {
        Landing landing = Landing.at(directory, () -> 1000 * MB);
        Files.writeString(landing.take("one", MB).orElseThrow().resolve("pages.img"), "pages");
        landing.remove("one");
        landing.remove("one");
        assertThat(landing.find("one")).isEmpty();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void nothingOfAnEarlierDaemonStays() throws IOException {
        Files.writeString(Landing.at(directory, () -> 1000 * MB).take("one", MB).orElseThrow().resolve("pages.img"), "pages");
        Landing next = Landing.at(directory, () -> 1000 * MB);
        assertThat(next.names()).isEmpty();
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void withoutADirectoryThereIsNoRoom() {
        assertThat(Landing.none().take("one", 0)).isEmpty();
    }
}
