package dev.sandglass.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SamplesTest {
    @Test
    void aSingleSampleIsItsOwnMedian() {
        Samples samples = of(3);
        assertThat(samples.medianMillis()).isEqualTo(3);
        assertThat(samples.p90Millis()).isEqualTo(3);
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
        assertThat(of(4, 1, 2, 100).medianMillis()).isEqualTo(3);
    }

    @Test
    void oneSlowRoundMovesTheP90AndNotTheMedian() {
        Samples samples = of(10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1000);
        assertThat(samples.medianMillis()).isEqualTo(10);
        assertThat(samples.quantileMillis(1)).isEqualTo(1000);
        assertThat(of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11).p90Millis()).isEqualTo(10);
    }

    @Test
    void theLeastIsTheLeast() {
        assertThat(of(7, 2, 9).leastMillis()).isEqualTo(2);
    }

    @Test
    void nothingHasNoMedian() {
        assertThatThrownBy(() -> new Samples().medianMillis()).hasMessage("no samples");
        assertThatThrownBy(() -> new Samples().add(-1)).hasMessage("sample: -1 (expected: >= 0)");
    }

    static Samples of(long... millis) {
        Samples samples = new Samples();
        for (long each : millis) {
            samples.add(each * 1_000_000);
        }
        return samples;
    }
}
