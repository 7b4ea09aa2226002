package dev.sandglass.engine.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Captured processes go on in few sandboxes at once, and in none for which there is no memory. */
class RestoresTest {
    private static final long MB = 1 << 20;

    @Test
    void oneTooManyWaitsForItsTurnButNotForEver() throws InterruptedException {
        Restores restores = new Restores(1, () -> 0, Duration.ofMillis(1));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch begun = new CountDownLatch(Restores.LEAST);
            CountDownLatch end = new CountDownLatch(1);
            IntStream.range(0, Restores.LEAST).forEach(_ -> threads.submit(() -> restores.run(MB, () -> {
                begun.countDown();
                await(end);
                return true;
            })));
            begun.await();
            refused("within 0 s", () -> restores.run(MB, () -> true));
            end.countDown();
        }
        assertThat(restores.<Boolean>run(MB, () -> true)).isTrue();
    }

    @Test
    void whatHasNoMemoryIsRefusedAndWhatIsUnderWayCounts() {
        Restores restores = new Restores(4, () -> 100 * MB, Duration.ofMinutes(1));
        refused("100 MB more (expected: >= 101", () -> restores.run(101 * MB, () -> true));
        assertThat(restores.<Boolean>run(60 * MB, () -> {
                    refused("expected: >= 120", () -> restores.run(60 * MB, () -> true));
                    return restores.run(40 * MB, () -> true);
                }))
                .isTrue();
        assertThatThrownBy(() -> restores.run(100 * MB, () -> {
                    throw new IllegalStateException("failed");
                }))
                .hasMessage("failed");
        assertThat(restores.<Boolean>run(100 * MB, () -> true)).as("nothing of those that ended counts").isTrue();
    }

    @Test
    void whereNobodyCanTellNobodyIsRefused() {
        assertThat(new Restores(4, () -> 0, Duration.ofMinutes(1)).<Boolean>run(100 * MB, () -> true)).isTrue();
    }

    private static void refused(String words, ThrowingCallable restore) {
        assertThatThrownBy(restore).isInstanceOfSatisfying(SandglassException.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(ErrorCode.LIMIT_REACHED);
            assertThat(refusal.what()).contains(words);
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
