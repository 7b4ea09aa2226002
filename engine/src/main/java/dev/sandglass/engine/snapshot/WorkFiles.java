package dev.sandglass.engine.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Files that go when the work is done. Not thread-safe. */
final class WorkFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkFiles.class);

    private final Path directory;
    private final List<Path> files = new ArrayList<>();

    WorkFiles(Path directory) {
        this.directory = directory;
    }

    Path make() throws IOException {
        Path file = Files.createTempFile(directory, "part", ".manifest");
        files.add(file);
        return file;
    }

    void remove(Path file) throws IOException {
        Files.deleteIfExists(file);
        files.remove(file);
    }

    @Override
    public void close() {
        for (Path file : files) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException problem) {
                LOG.warn("{} could not be removed; it is at the next start", file, problem);
            }
        }
    }
}
