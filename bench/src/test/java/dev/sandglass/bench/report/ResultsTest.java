package dev.sandglass.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sandglass.bench.report.Results.Part;
import dev.sandglass.bench.report.Results.Who;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTest {
    private static final Who OURS = new Who("sandglass container", "container", Part.OURS);
    private static final Who CRUN = new Who("raw crun", "container", Part.BASELINE);
    private static final Who RUNSC = new Who("raw runsc", "gvisor", Part.BESIDE);

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

    @Test
    void ourRowSaysWhetherItsGoalIsMet() {
        add(Measure.LIFE, CRUN, 10);
        add(Measure.LIFE, OURS, 25);
        assertThat(results.rows(List.of(OURS, CRUN))).extracting(Row::goals).containsExactly(
                List.of(new Verdict("1.5x", 1.5, "x", 2.5, false)),
                List.of());
    }

    @Test
    void aGoalMayLookAtAnotherFamilyAndAtTheTimeItself() {
        add(Measure.EXEC, OURS, 3);
        add(Measure.EXEC, RUNSC, 30);
        assertThat(results.rows(List.of(OURS)).getFirst().goals()).containsExactly(
                new Verdict("0.1x of raw runsc", 0.1, "x", 0.1, true),
                new Verdict("2 ms on a quiet machine", 2, "ms", 3.0, false));
    }

    @Test
    void withoutWhatItIsComparedWithAGoalIsNeitherMetNorMissed() {
        add(Measure.LIFE, OURS, 25);
        assertThat(results.rows(List.of(OURS)).getFirst().goals()).containsExactly(new Verdict("1.5x", 1.5, "x", null, null));
    }

    private void add(Measure measure, Who who, long... millis) {
        for (long each : millis) {
            results.add(measure, who, each * 1_000_000);
        }
    }
}
