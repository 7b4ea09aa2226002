package dev.sandglass.server.api;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the API on a real engine that has no runtime and so no sandboxes, served anew for each of them. */
abstract class ApiFixture {
    @TempDir
    Path directory;

    ServedApi api;

    @BeforeEach
    void open() throws IOException, InterruptedException {
        api = new ServedApi(directory);
    }

    @AfterEach
    void close() throws InterruptedException {
        api.close();
    }
}
