package dev.sandglass.engine.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who waits for a sandbox is told what is in the way, and waits for nobody without end. */
class LocksTest {
    private final Locks locks = new Locks();
    private final SandboxId id = SandboxId.random();

    @Test
    void whoWaitsTooLongIsToldWhatIsInTheWay() {
        try (Locks.Held _ = locks.hold(id, "snapshot")) {
            CompletableFuture<Object> other = CompletableFuture.supplyAsync(() -> locks.hold(id, "rewind", Duration.ofMillis(1)));
            assertThatThrownBy(other::join)
                    .cause()
                    .isInstanceOfSatisfying(SandglassException.class, problem -> {
                        assertThat(problem.code()).isEqualTo(ErrorCode.CONFLICT);
                        assertThat(problem.what()).contains("rewind", id.text(), "snapshot");
                    });
        }
        locks.hold(id, "rewind", Duration.ofMillis(1)).close();
    }

    @Test
    void whoComesInTimeWaits() {
        CompletableFuture<Void> other;
        try (Locks.Held _ = locks.hold(id, "snapshot")) {
            other = CompletableFuture.runAsync(() -> locks.hold(id, "rewind", Duration.ofMinutes(5)).close());
        }
        other.join();
    }

    @Test
    void whatIsDoneWithinSomethingElseGoesByItsName() {
        try (Locks.Held _ = locks.hold(id, "fork"); Locks.Held _ = locks.hold(id, "a new link")) {
            CompletableFuture<Object> other = CompletableFuture.supplyAsync(() -> locks.hold(id, "stop", Duration.ofMillis(1)));
            assertThatThrownBy(other::join).cause().hasMessageContaining("fork");
        }
    }
}
