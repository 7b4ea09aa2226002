package dev.sandglass.engine.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.BuildOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Of what a build prints the end is kept, in few pieces, and each reader gets each character once. */
class BuildLogTest {
    private static final int FLOOD = 1_000_000;

    private static String text(List<BuildOutput> output) {
        return output.stream().map(BuildOutput::text).collect(Collectors.joining());
    }

    @Test
    void aFloodOfSinglesBecomesFewPieces() {
        BuildLog log = new BuildLog();
        for (int i = 0; i < FLOOD; i++) {
            log.add("setup", "x");
        }
        assertThat(text(log.after(0))).hasSize(FLOOD);
        assertThat(log.after(0)).hasSizeLessThan(FLOOD / 1000);
        assertThat(log.after(FLOOD)).isEmpty();
    }

    @Test
    void aFloodOfSinglesOfDifferentStepsIsBounded() {
        BuildLog log = new BuildLog();
        for (int i = 0; i < FLOOD; i++) {
            log.add(i % 2 == 0 ? "even" : "odd", "x");
        }
        List<BuildOutput> kept = log.after(0);
        assertThat(kept).hasSizeLessThan(FLOOD / 10);
        assertThat(kept.getFirst().dropped()).isEqualTo(FLOOD - text(kept).length());
    }

    @Test
    void whoReadsWhileAPieceGrowsGetsTheRestOfIt() {
        BuildLog log = new BuildLog();
        StringBuilder all = new StringBuilder();
        StringBuilder read = new StringBuilder();
        List<BuildOutput> found = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            String next = i + "\n";
            log.add(i < 15_000 ? "one" : "two", next);
            all.append(next);
            if (i % 7 == 0) {
                found.addAll(log.after(read.length()));
                read.append(text(log.after(read.length())));
            }
        }
        found.addAll(log.after(read.length()));
        read.append(text(log.after(read.length())));
        assertThat(read.toString()).isEqualTo(all.toString());
        assertThat(found).allMatch(piece -> piece.dropped() == null).extracting(BuildOutput::step).containsSubsequence("one", "two").doesNotContainSubsequence("two", "one");
        assertThat(log.lastLines("one")).endsWith("14998\n14999");
        assertThat(log.text()).isEqualTo(all.toString());
    }

    @Test
    void nothingWakesNobody() throws InterruptedException {
        RunningBuild build = new RunningBuild("build-x", "template", "t", (_, _) -> {}, (_, _) -> {});
        long before = build.await(-1, 0, Duration.ZERO).version();
        build.print("setup", "");
        assertThat(build.await(-1, 0, Duration.ZERO).version()).isEqualTo(before);
        build.print("setup", "x");
        assertThat(build.await(-1, 0, Duration.ZERO).version()).isGreaterThan(before);
    }
}
