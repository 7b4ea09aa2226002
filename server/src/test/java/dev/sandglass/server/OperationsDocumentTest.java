package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who runs a daemon finds in docs/operations.md and the API description what it leaves on the disk and what it tells. */
@ExtendWith(SharedDaemon.class)
@Timeout(180)
class OperationsDocumentTest {
    private static final Pattern METRIC = Pattern.compile("(?m)^# TYPE ([a-z_]+) ");
    private static final Pattern STATES = Pattern.compile("(?m)^        state: \\{enum: \\[(creating, running, [a-z, ]+)]");

    private final Api api = SharedDaemon.api();

    @Test
    void everyPlaceIsExplained() throws IOException {
        try (Stream<Path> there = Files.list(Path.of(api.status().dataDir()))) {
            // Locks and the parts of the ledger that SQLite keeps beside it mean nothing to anybody else.
            List<String> names = there.map(path -> path.getFileName().toString())
                    .filter(name -> !name.endsWith("lock") && !name.matches("ledger[.]db-(wal|shm)"))
                    .map(name -> name.replaceFirst("schema-[0-9]+$", "schema-N")) // where an older version has run before
                    .toList();
            String document = document();
            assertThat(names).isNotEmpty().allSatisfy(name -> assertThat(document).containsPattern("`(/var/lib/sandglass/)?" + Pattern.quote(name) + "`"));
        }
    }

    @Test
    void everyMetricIsExplained() throws IOException {
        List<String> names = METRIC.matcher(api.caller().get("/metrics").text()).results().map(found -> found.group(1)).toList();
        String document = document();
        assertThat(names).hasSizeGreaterThan(10).allSatisfy(name -> assertThat(document).containsPattern("`" + name + "[`{]"));
    }

    @Test
    void everyStateIsAnEventThatIsDescribed() throws IOException {
        String description = Files.readString(Path.of("src/main/resources/dev/sandglass/server/openapi.yaml"));
        MatchResult states = STATES.matcher(description).results().findFirst().orElseThrow();
        String events = description.substring(description.indexOf("operationId: listEvents"));
        String told = events.substring(0, events.indexOf("parameters:"));
        for (String state : states.group(1).split(", ")) {
            assertThat(told).containsPattern("`(sandbox[.])?" + (state.equals("running") ? "started" : state) + "`");
        }
        assertThat(told).contains("`created`", "`resumed`", "`snapshotted`", "`updated`");
    }

    private static String document() throws IOException {
        return Files.readString(Path.of("../docs/operations.md"));
    }
}
