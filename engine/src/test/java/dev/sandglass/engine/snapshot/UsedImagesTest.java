package dev.sandglass.engine.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An image goes with the last that needs it, and holds up nobody who does not need it. */
@Timeout(300)
class UsedImagesTest {
    private final Set<String> named = ConcurrentHashMap.newKeySet();
    private final List<String> removed = new CopyOnWriteArrayList<>();

    @Test
    void itStaysAsLongAsSomebodyNeedsIt() {
        UsedImages images = new UsedImages(named::contains, (image, needed) -> needed.getAsBoolean() || removed.add(image));
        named.add("one");
        images.leave("one");
        images.hold("one");
        images.hold("one");
        named.clear();
        images.leave("one");
        images.release("one");
        assertThat(removed).isEmpty();
        images.release("one");
        assertThat(removed).containsExactly("one");
    }

    @Test
    void whatNobodyCouldLookAtIsTriedAgainTheNextTime() {
        AtomicBoolean busy = new AtomicBoolean(true);
        UsedImages images = new UsedImages(named::contains, (image, _) -> !busy.get() && removed.add(image));
        images.leave("one");
        assertThat(removed).isEmpty();
        busy.set(false);
        images.leave("two");
        assertThat(removed).containsExactlyInAnyOrder("one", "two");
    }

    @Test
    void whatFailsKeepsNothingElseFromGoing() {
        UsedImages images = new UsedImages(named::contains, (image, _) -> {
            if (image.equals("one")) {
                throw new IllegalStateException("failed");
            }
            return removed.add(image);
        });
        images.leave("one");
        images.hold("one");
        images.leave("two");
        assertThat(removed).containsExactly("two");
    }

    @Test
    void whileOneGoesOthersAreHeldAndLeftAndOnlyWhoWantsThatOneWaits() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        UsedImages images = new UsedImages(named::contains, (image, needed) -> {
            if (image.equals("slow")) {
                begun.countDown();
                await(end);
            }
            return needed.getAsBoolean() || removed.add(image);
        });
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> removing = threads.submit(() -> images.leave("slow"));
            begun.await();
            CountDownLatch wants = new CountDownLatch(1);
            Future<List<String>> late = threads.submit(() -> {
                wants.countDown();
                images.hold("slow");
                return List.copyOf(removed);
            });
            wants.await();
            images.hold("other");
            images.release("other");
            images.leave("another");
            assertThat(List.of(removing.isDone(), late.isDone())).as("the slow one still goes").containsOnly(false);
            end.countDown();
            assertThat(late.get()).as("when it could be held").contains("slow");
            removing.get();
        }
        assertThat(removed).as("those that were left meanwhile too").containsExactlyInAnyOrder("slow", "other", "another");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
