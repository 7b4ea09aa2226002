package dev.sandglass.engine.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Captured processes go on in few sandboxes at once, and in none for which there is no memory. */
class RestoresTest {
    private static final long MB = 1 << 20;
    private static final SandboxId SOME = SandboxId.random();

    @Test
    void oneTooManyWaitsForItsTurnButNotForEver() throws InterruptedException {
        Restores restores = new Restores(1, () -> 0, Duration.ofMillis(1));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch end = new CountDownLatch(1);
            filled(restores, threads, end);
            refused("within 0 s", () -> restores.run(SOME, MB, () -> true));
            end.countDown();
        }
        assertThat(restores.<Boolean>run(SOME, MB, () -> true)).isTrue();
    }

    @Test
    void whoWaitsInASandboxThatIsToGoGivesUpAndTheOthersGoOn() throws InterruptedException, ExecutionException {
        Restores restores = new Restores(1, () -> 0, Duration.ofDays(1));
        SandboxId going = SandboxId.random();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch end = new CountDownLatch(1);
            filled(restores, threads, end);
            Future<Boolean> first = threads.submit(() -> restores.run(going, MB, () -> true));
            Future<Boolean> second = threads.submit(() -> restores.run(SOME, MB, () -> true));
            try (Restores.Unwanted _ = restores.unwanted(going);
                    Restores.Unwanted _ = restores.unwanted(going)) {
                assertThatThrownBy(first::get).cause().isInstanceOfSatisfying(SandglassException.class, refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT));
            }
            end.countDown();
            assertThat(second.get()).isTrue();
            assertThat(restores.<Boolean>run(going, MB, () -> true)).as("when nobody wants it to go any more").isTrue();
        }
    }

    private static void filled(Restores restores, ExecutorService threads, CountDownLatch end) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(Restores.LEAST);
        IntStream.range(0, Restores.LEAST).forEach(_ -> threads.submit(() -> restores.run(SOME, MB, () -> {
            begun.countDown();
            await(end);
            return true;
        })));
        begun.await();
    }

    @Test
    void whatHasNoMemoryIsRefusedAndWhatIsUnderWayCounts() {
        Restores restores = new Restores(4, () -> 100 * MB, Duration.ofMinutes(1));
        refused("100 MB more (expected: >= 101", () -> restores.run(SOME, 101 * MB, () -> true));
        assertThat(restores.<Boolean>run(SOME, 60 * MB, () -> {
                    refused("expected: >= 120", () -> restores.run(SOME, 60 * MB, () -> true));
                    return restores.run(SOME, 40 * MB, () -> true);
                }))
                .isTrue();
        assertThatThrownBy(() -> restores.run(SOME, 100 * MB, () -> {
                    throw new IllegalStateException("failed");
                }))
                .hasMessage("failed");
        assertThat(restores.<Boolean>run(SOME, 100 * MB, () -> true)).as("nothing of those that ended counts").isTrue();
    }

    @Test
    void whereNobodyCanTellNobodyIsRefused() {
        assertThat(new Restores(4, () -> 0, Duration.ofMinutes(1)).<Boolean>run(SOME, 100 * MB, () -> true)).isTrue();
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
