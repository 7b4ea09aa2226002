package dev.sandglass.server;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.pool.Pools;
import dev.sandglass.pool.image.BaseImages;
import dev.sandglass.runtime.Runtimes;
import dev.sandglass.server.doctor.Examination;
import dev.sandglass.server.doctor.Report;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** The program behind {@code sandglass doctor}. */
public final class Doctor {
    private static final Set<String> FORMAT_OPTIONS = Set.of("-o", "--output", "--format");
    private static final List<String> FORMATS = List.of("table", "json", "yaml");

    private Doctor() {}

    /** Looks at a pool that is there, and makes none. */
    private static Pool pool(Configuration configuration) {
        Path data = configuration.places().data();
        if (!Files.exists(data.resolve("pool.img")) && !Files.isDirectory(data.resolve("pool"))) {
            throw new SandglassException(ErrorCode.IMAGE_UNAVAILABLE, "It was not made yet.", "`sandglass setup` makes it.");
        }
        return Pools.open(data, configuration.pool());
    }

    public static void main(String[] arguments) throws IOException {
        boolean deep = false;
        String format = Terminal.isThere() ? "table" : "json";
        Iterator<String> words = List.of(arguments).iterator();
        while (words.hasNext()) {
            String word = words.next();
            if (word.equals("--deep")) {
                deep = true;
                continue;
            }
            String value = FORMAT_OPTIONS.contains(word) && words.hasNext() ? words.next() : word.substring(word.indexOf('=') + 1);
            boolean isFormat = FORMAT_OPTIONS.contains(word.split("=", 2)[0]);
            if (!isFormat || !FORMATS.contains(value)) {
                String what = isFormat ? "Unknown format: " + value + " (expected: " + String.join(", ", FORMATS) + ")" : "Unknown argument: " + word;
                System.err.println("error: " + what + "\nhint: See `sandglass doctor --help`.");
                System.exit(2);
            }
            format = value;
        }
        try {
            Configuration configuration = Configuration.read(System.getenv());
            Places places = configuration.places();
            Report report = Examination.run(
                    Runtimes.open(places.run()),
                    () -> pool(configuration),
                    pool -> new BaseImages(pool, places.data()),
                    configuration.outside().reserved(),
                    new Examination.Networks(places.networks(), configuration.defaults().network().isPresent()),
                    deep);
            switch (format) {
                case "json" -> System.out.println(Json.write(report));
                case "yaml" -> System.out.print(Yaml.of(Json.write(report)));
                default -> report.print(System.out, Terminal.isThere(), Terminal.columns());
            }
            System.exit(report.isHealthy() ? 0 : 1);
        } catch (SandglassException problem) {
            LastWords.say(problem);
        }
    }
}
