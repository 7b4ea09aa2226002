package dev.sandglass.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sandglass.bench.report.Results.Who;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTest {
    private static final Who OURS = new Who("sandglass container", "container", false);
    private static final Who CRUN = new Who("raw crun", "container", true);
    private static final Who RUNSC = new Who("raw runsc", "gvisor", false);

    private final Results results = new Results();

    @Test
    void theRatioIsToTheRawEngineOfTheSameFamily() {
        add(Measure.LIFE, CRUN, 10, 10, 70);
        add(Measure.LIFE, OURS, 25, 25, 25);
        assertThat(results.rows(List.of(OURS, CRUN))).extracting(Row::contender, Row::ratio).containsExactly(
                tuple("sandglass container", 2.5),
                tuple("raw crun", 1.0));
    }

    @Test
    void withoutItsRawEngineAFamilyHasNoRatio() {
        add(Measure.EXEC, CRUN, 10);
        add(Measure.EXEC, RUNSC, 30);
        assertThat(results.rows(List.of(RUNSC)).getFirst().ratio()).isNull();
    }

    @Test
    void partsOfALifeAreNotCompared() {
        add(Measure.CREATE, CRUN, 10);
        add(Measure.CREATE, OURS, 20);
        assertThat(results.rows(List.of(OURS, CRUN))).extracting(Row::ratio).containsOnlyNulls();
    }

    private void add(Measure measure, Who who, long... millis) {
        for (long each : millis) {
            results.add(measure, who, each * 1_000_000);
        }
    }
}
