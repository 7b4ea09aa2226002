package dev.sandglass.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is shown to whoever waits. */
@Timeout(60)
final class WaitingTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final HandClock clock = new HandClock();

    @Test
    void theStepThatGoesOnIsShownAndErased() throws InterruptedException {
        try (Waiting waiting = new Waiting(out, true, "Creating otter", clock)) {
            clock.advance(Duration.ofMillis(Waiting.MOMENT_MILLIS));
            until("Creating otter ... 0.3 s");
            waiting.step("engine");
            until("Creating otter: engine ... ");
            waiting.step("evil\u001b[2J");
            until("Creating otter: evil\\x1b[2J ... ");
            clock.advance(Duration.ofSeconds(70));
            until(" ... 70.3 s");
        }
        for (Thread drawer : drawers()) {
            drawer.join();
        }
        assertThat(text()).as("nothing comes after the end").endsWith("\r\u001b[K");
    }

    @Test
    void aMomentIsNotWorthALine() throws InterruptedException {
        try (Waiting waiting = new Waiting(out, true, "Stopping otter", clock)) {
            clock.advance(Duration.ofMillis(Waiting.MOMENT_MILLIS - 1));
            waiting.step("engine");
            clock.awaitLooks(3); // whoever looks again has not drawn anything after the looks before
        }
        assertThat(text()).isEmpty();
    }

    @Test
    void nothingIsShownWhereNobodyLooks() {
        try (Waiting waiting = new Waiting(out, false, "Stopping otter", clock)) {
            clock.advance(Duration.ofSeconds(10));
            waiting.step("ledger");
            assertThat(drawers()).isEmpty();
        }
        assertThat(text()).isEmpty();
    }

    @Test
    void aBarFitsIntoItsLine() {
        try (ProgressBar bar = new ProgressBar(out, true, "directory/".repeat(20), 1000, clock)) {
            bar.add(100);
            clock.advance(Duration.ofMillis(200));
            bar.add(400);
            bar.add(100);
        }
        String[] drawn = text().split("\r\u001b\\[K");
        assertThat(drawn).hasSize(2);
        assertThat(drawn[1]).startsWith("...").contains("[===============               ] 50%  500 B").hasSizeLessThan(80);
    }

    @Test
    void whereTheTotalIsUnknownFilesAndBytesAreCounted() {
        try (ProgressBar bar = new ProgressBar(out, true, "/data", -1, clock)) {
            for (int i = 0; i < 1233; i++) {
                bar.file();
            }
            bar.add(1 << 20);
            clock.advance(Duration.ofMillis(500));
            bar.file();
        }
        assertThat(text()).contains("/data  1,234 files  1 MB  2 MB/s").doesNotContain("%", "[=");
    }

    /** The threads that draw lines for those who wait. */
    private static List<Thread> drawers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(Waiting.THREAD))
                .toList();
    }

    private void until(String part) {
        await().atMost(Duration.ofSeconds(50)).until(() -> text().contains(part));
    }

    private String text() {
        return out.toString(StandardCharsets.UTF_8);
    }
}
