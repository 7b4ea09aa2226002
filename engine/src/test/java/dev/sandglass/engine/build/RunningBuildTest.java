package dev.sandglass.engine.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** The sandbox of a build is noted, or it is not there. */
class RunningBuildTest {
    private final List<String> done = new ArrayList<>();

    private static RunningBuild build(BiConsumer<Build, String> keep) {
        return new RunningBuild("build-x", "template", "t", keep, (_, _) -> {});
    }

    private static void full(Build build, String log) {
        throw new SandglassException(ErrorCode.DISK_FULL, "no room for " + build.sandbox() + log, "Make room.");
    }

    @Test
    void whatCannotBeNotedIsTakenAway() {
        assertThatThrownBy(() -> build(RunningBuildTest::full).in("sbx-a", () -> done.add("away"))).hasMessageContaining("no room for sbx-a");
        assertThat(done).containsExactly("away");
    }

    @Test
    void whatIsNotedStays() {
        build((build, _) -> done.add("noted " + build.sandbox())).in("sbx-a", () -> done.add("away"));
        assertThat(done).containsExactly("noted sbx-a");
    }

    @Test
    void theFirstProblemIsTold() {
        assertThatThrownBy(() -> build(RunningBuildTest::full).in("sbx-a", () -> {
                    throw new IllegalStateException("it stays");
                }))
                .hasMessageContaining("no room for sbx-a")
                .satisfies(problem -> assertThat(problem.getSuppressed()).extracting(Throwable::getMessage).containsExactly("it stays"));
    }
}
