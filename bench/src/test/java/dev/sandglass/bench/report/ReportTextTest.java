package dev.sandglass.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTextTest {
    private static final Facts FACTS =
            new Facts("0.1.0", 2, "Some CPU", 24_000, "6.18.0", 1.5, "btrfs-loop", Map.of("crun", "1.8.1"));

    @Test
    void aReportIsATableWithItsMachineAboveAndItsMeaningBelow() {
        Report report = new Report(
                FACTS,
                15,
                Size.QUICK,
                List.of("raw runc is skipped: it is not installed"),
                List.of(
                        new Row("LIFE", "sandglass container", "container", 15, 20, 30, 41.25, 3.0, List.of(new Verdict("1.5x", 1.5, "x", 3.0, false))),
                        new Row("LIFE", "raw crun", "container", 15, 8, 10, 12, 1.0, List.of()),
                        new Row("LIFE", "raw runsc", "gvisor", 15, 900, 1234, 2000, null, List.of()),
                        new Row("CREATE", "raw crun", "container", 15, 1, 2, 3, null, List.of()),
                        new Row("FIRST", "raw crun", "container", 15, 4, 5, 6, null, List.of()),
                        new Row("DESTROY", "raw crun", "container", 15, 2, 3, 4, null, List.of()),
                        new Row("CROWD", "raw crun", "container", 1, 800, 800, 800, 1.0, List.of()),
                        new Row("READ", "raw crun", "container", 3, 90, 100, 110, 1.0, List.of()),
                        new Row("REQUESTS", "direct", "network", 3, 90, 100, 110, 1.0, List.of())),
                List.of(new Figure("`sandglass ls`", 82, "ms", 150, true), new Figure("daemon: heap in use, idle", 70.5, "MB", 64, false)));
        assertThat(ReportText.of(report)).isEqualTo("""
                Sandglass 0.1.0 beside the raw engines
                machine  2 cores (Some CPU), 24000 MB, Linux 6.18.0, load 1.5 at the start
                engines  crun 1.8.1; pool btrfs-loop

                create + first `true` + destroy (samples: 15)
                  sandglass container          30.0 ms  p90     41.3 ms     3.00x ████████████████████████
                    goal 1.5x: not met (3.00x)
                  raw crun                     10.0 ms  p90     12.0 ms     1.00x ████████

                  raw runsc                    1234 ms  p90     2000 ms

                  of which                       create (raw: mount)   first `true` (raw: run)     destroy (raw: remove)
                  raw crun                                   2.00 ms                   5.00 ms                   3.00 ms

                16 creates, 8 at once (raw: start detached) (samples: 1)
                  raw crun                    800.0 ms                     50.0 each     1.00x ████████████████████████

                read a file of 64 MB (raw: exec `cat`) (samples: 3)
                  raw crun                    100.0 ms  p90    110.0 ms     640 MB/s     1.00x ████████████████████████

                320 HTTPS requests out of a sandbox, 16 at once (samples: 3)
                  direct                      100.0 ms  p90    110.0 ms    3200 a second     1.00x ████████████████████████

                Sandglass itself
                  `sandglass ls`                                     82 ms  goal 150: met
                  daemon: heap in use, idle                          71 MB  goal 64: not met

                note: raw runc is skipped: it is not installed
                How to read it: the ratio is a contender's median divided by that of the raw engine beneath it (1.00x) in this \
                same run; compare ratios between machines, not milliseconds. Smaller is faster. Sandglass was \
                used for a while before, as a daemon is that runs for days.
                """);
    }

    @Test
    void aBarIsAsLongAsItsShareAndNeverInvisible() {
        assertThat(Bar.of(1, 2, 10)).isEqualTo("█████");
        assertThat(Bar.of(1, 16, 2)).isEqualTo("▏");
        assertThat(Bar.of(0.001, 2, 10)).isEqualTo("▏");
        assertThat(Bar.of(3, 2, 2)).isEqualTo("██");
        assertThat(Bar.of(0, 2, 10)).isEmpty();
    }
}
