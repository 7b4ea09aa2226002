package dev.sandglass.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A console, and a daemon that answers as a test tells it. */
abstract class VerbFixture {
    @TempDir
    Path directory;

    TestDaemon daemon;
    TestConsole console;

    @BeforeEach
    void start() throws IOException {
        daemon = new TestDaemon(directory);
        console = new TestConsole(daemon);
    }

    @AfterEach
    void stop() throws IOException {
        daemon.close();
    }
}
