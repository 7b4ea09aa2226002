package dev.sandglass.engine.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ProcessFacts;
import dev.sandglass.wire.ProcessList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of captured processes is read as it was written, and what is none harms nobody. */
@Timeout(60)
class ProcessFileTest {
    @TempDir
    Path image;

    private Path file;

    @BeforeEach
    void nameIt() {
        file = image.resolve("processes.json");
    }

    @Test
    void itIsReadAsItWasWritten() {
        ProcessList list = new ProcessList(1, List.of(new ProcessFacts(7, 1, 1000, "a \u001b\n\uFFFD\"\ud83d\ude00")), true);
        assertThat(ProcessFile.read(image)).as("old snapshots have none").isEmpty();
        ProcessFile.write(image, list);
        assertThat(ProcessFile.read(image)).contains(list);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{", "{\"version\":1}", "{\"version\":1,\"processes\":[{}],\"truncated\":false}", "{\"version\":1,\"processes\":[null]}",
            "{\"version\":2,\"processes\":[],\"truncated\":false}"})
    void whatIsNoListOfThisVersionIsNotKnown(String text) throws IOException {
        Files.writeString(file, text);
        assertThat(ProcessFile.read(image)).isEmpty();
    }

    @Test
    void whatIsNoFileIsNotOpened() throws IOException, InterruptedException {
        Path elsewhere = Files.writeString(image.resolve("elsewhere"), "{\"version\":1,\"processes\":[],\"truncated\":false}");
        Files.createSymbolicLink(file, elsewhere);
        assertThat(ProcessFile.read(image)).as("a link").isEmpty();
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).inheritIO().start().waitFor()).isZero();
        assertThat(ProcessFile.read(image)).as("a FIFO, which would wait for ever").isEmpty();
    }
}
