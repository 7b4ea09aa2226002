package dev.sandglass.engine.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
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
    void whoSeizesItComesBeforeAllWhoWait() throws InterruptedException {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        List<Thread> all = new ArrayList<>();
        try (Locks.Held _ = locks.hold(id, "rewind")) {
            for (int i = 0; i < 3; i++) {
                all.add(waiting(() -> locks.hold(id, "undo", Duration.ofMinutes(5)), "undo", order));
            }
            all.add(waiting(() -> locks.seize(id, "destroy"), "destroy", order));
            try (Locks.Held _ = locks.hold(id, "a new link", Duration.ofMillis(1))) {
                order.add("what has begun");
            }
        }
        for (Thread each : all) {
            each.join();
        }
        assertThat(order).containsExactly("what has begun", "destroy", "undo", "undo", "undo");
    }

    private static Thread waiting(Supplier<Locks.Held> lock, String name, Queue<String> order) {
        Thread thread = Thread.ofPlatform().start(() -> {
            try (Locks.Held _ = lock.get()) {
                order.add(name);
            }
        });
        await().until(() -> EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(thread.getState()));
        return thread;
    }

    @Test
    void whatIsDoneWithinSomethingElseGoesByItsName() {
        try (Locks.Held _ = locks.hold(id, "fork"); Locks.Held _ = locks.hold(id, "a new link")) {
            CompletableFuture<Object> other = CompletableFuture.supplyAsync(() -> locks.hold(id, "stop", Duration.ofMillis(1)));
            assertThatThrownBy(other::join).cause().hasMessageContaining("fork");
        }
    }
}
