package dev.sandglass.pool.image;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.pool.Pools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A pool with the base image for the tests of all modules, built once per checkout and kept between runs.
 *
 * <p>It lies in {@code .test-data} of the checkout (not in {@code target}, where `mvn clean` would reach into the mount), or where the property or variable {@code SANDGLASS_TEST_DATA}
 * says. The pool is mounted while a process uses it. Tests remove the trees that they make.
 */
public record TestImage(Path dataDirectory, Pool pool, BaseImages images, Image image) {
    private static final String SETTING = "SANDGLASS_TEST_DATA";
    private static final long POOL_BYTES = 16L << 30;

    private static @Nullable TestImage shared;

    /** The shared pool and image; the first call of a checkout builds them, which takes under a minute. */
    public static synchronized TestImage shared() {
        if (shared == null) {
            Path data = place();
            UseOfMount.begin(data);
            Pool pool = Pools.open(data, PoolOptions.of(PoolKind.BTRFS_LOOP).imageBytes(POOL_BYTES));
            BaseImages images = new BaseImages(pool, data);
            shared = new TestImage(data, pool, images, images.build(BuildOptions.DEFAULT, new TerminalProgress(System.err, false)));
        }
        return shared;
    }

    /** Where it lies: {@code .test-data} in the topmost directory that has a pom. */
    private static Path place() {
        String setting = System.getProperty(SETTING, System.getenv().getOrDefault(SETTING, ""));
        if (!setting.isEmpty()) {
            return Path.of(setting).toAbsolutePath();
        }
        Path top = Path.of("").toAbsolutePath();
        for (Path parent = top.getParent(); parent != null && Files.exists(parent.resolve("pom.xml")); ) {
            top = parent;
            parent = top.getParent();
        }
        try {
            return Files.createDirectories(top.resolve(".test-data"));
        } catch (IOException problem) {
            throw new AssertionError("no directory for test data: " + problem, problem);
        }
    }
}
