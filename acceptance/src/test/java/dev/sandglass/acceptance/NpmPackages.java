package dev.sandglass.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * Packages of npm that tests need, with the scripts that use them: a directory below {@code src/test/npm}, of whose lock file all is installed once for this
 * checkout. From where they come is the host's own configuration.
 */
final class NpmPackages {
    private NpmPackages() {}

    /** A directory with the scripts in it, in which node finds their packages. */
    static Path install(Checkout checkout, String name) throws IOException, InterruptedException {
        Path source = checkout.root().resolve("acceptance/src/test/npm").resolve(name);
        Path installed = Files.createDirectories(checkout.root().resolve(".test-data/npm").resolve(name));
        List<Path> files;
        try (Stream<Path> listed = Files.list(source)) {
            files = listed.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            Files.copy(file, installed.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        Path done = installed.resolve("installed-lock.json");
        String lock = Files.readString(source.resolve("package-lock.json"));
        if (!Files.exists(done) || !Files.readString(done).equals(lock)) {
            checkout.check("cd '" + installed + "' && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error");
            Files.writeString(done, lock);
        }
        return installed;
    }
}
