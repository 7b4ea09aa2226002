package dev.sandglass.engine.snapshot;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.ProcessList;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The list of captured processes, a file beside those of the runtime: so it is hashed, sealed, exported and imported as they are. One that came
 * from elsewhere is hostile.
 */
final class ProcessFile {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessFile.class);
    private static final String NAME = "processes.json";
    /** More than the longest list has. */
    private static final int MOST_BYTES = 16 << 20;

    private ProcessFile() {}

    static void write(Path image, ProcessList processes) {
        try {
            Files.write(image.resolve(NAME), Json.bytes(processes), StandardOpenOption.CREATE_NEW);
        } catch (IOException problem) {
            throw StorageFailure.of("The list of captured processes cannot be written", problem);
        }
    }

    /** Empty where there is none, as in old snapshots, or one that cannot be read. */
    static Optional<ProcessList> read(Path image) {
        Path file = image.resolve(NAME);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try (InputStream input = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            ProcessList processes = Json.read(ProcessList.class, input.readNBytes(MOST_BYTES));
            return Optional.of(processes).filter(read -> read.version() == ProcessList.VERSION);
        } catch (IOException | SandglassException problem) {
            LOG.info("{} cannot be read: {}", file, problem.getMessage());
            return Optional.empty();
        }
    }
}
