package dev.sandglass.server;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.pool.Pools;
import dev.sandglass.pool.image.BaseImages;
import dev.sandglass.pool.image.BuildOptions;
import dev.sandglass.pool.image.TerminalProgress;
import dev.sandglass.wire.SandglassException;
import java.util.Optional;

/** The program behind {@code sandglass setup}: makes the base image, unless it is there. */
public final class ImageBuild {
    private ImageBuild() {}

    @SuppressWarnings("ClosingStandardOutputStreams") // closing the progress ends its line, not the stream
    public static void main(String[] arguments) {
        try {
            Configuration configuration = Configuration.read(System.getenv());
            Pool pool = Pools.open(configuration.places().data(), configuration.pool());
            BaseImages images = new BaseImages(pool, configuration.places().data());
            BuildOptions options = options(arguments);
            try (TerminalProgress progress = new TerminalProgress(System.err, Terminal.isThere())) {
                Image image = images.build(options, progress);
                System.err.println("The base image is " + image.id() + ".");
            }
        } catch (SandglassException problem) {
            LastWords.say(problem);
        } catch (IllegalArgumentException problem) {
            System.err.println("error: " + problem.getMessage());
            System.exit(2);
        }
    }

    private static BuildOptions options(String[] arguments) {
        Optional<String> suite = Optional.empty();
        boolean rebuild = false;
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--rebuild-image" -> rebuild = true;
                case "--suite" -> {
                    if (++i == arguments.length) {
                        throw new IllegalArgumentException("--suite needs the name of a suite");
                    }
                    suite = Optional.of(arguments[i]);
                }
                default -> throw new IllegalArgumentException(arguments[i] + " (expected: --suite NAME or --rebuild-image)");
            }
        }
        return new BuildOptions(suite, rebuild);
    }
}
