package dev.sandglass.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FdTest {
    @Test
    void closingTwiceDoesNotCloseWhatHasTheNumberByThen(@TempDir Path directory) throws IOException {
        Fd first = Fd.directory(directory);
        first.close();
        try (Fd second = Fd.directory(directory)) {
            first.close();
            assertThat(Files.readSymbolicLink(Path.of("/proc/self/fd/" + second.number()))).isEqualTo(directory.toRealPath());
        }
    }
}
