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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The program behind {@code sandglass doctor}. */
public final class Doctor {
    private static final Set<String> KNOWN = Set.of("-o", "--output", "--format", "json", "table", "--deep");

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
        List<String> asked = Arrays.asList(arguments);
        if (!KNOWN.containsAll(asked)) {
            System.err.println("usage: sandglass doctor [--deep] [-o table|json]");
            System.exit(2);
        }
        boolean json = asked.contains("json") || (!Terminal.isThere() && !asked.contains("table"));
        try {
            Configuration configuration = Configuration.read(System.getenv());
            Places places = configuration.places();
            Report report = Examination.run(
                    System.getenv(),
                    Runtimes.open(places.run()),
                    () -> pool(configuration),
                    pool -> new BaseImages(pool, places.data()),
                    asked.contains("--deep"));
            if (json) {
                System.out.println(Json.write(report));
            } else {
                report.print(System.out, Terminal.isThere());
            }
            System.exit(report.isHealthy() ? 0 : 1);
        } catch (SandglassException problem) {
            LastWords.say(problem);
        }
    }
}
