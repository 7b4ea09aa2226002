package dev.sandglass.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is shown to whoever waits. */
@Timeout(60)
final class WaitingTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void theStepThatGoesOnIsShownAndErased() throws InterruptedException {
        try (Waiting waiting = new Waiting(out, true, "Creating otter")) {
            until("Creating otter ... ");
            waiting.step("engine");
            until("Creating otter: engine ... ");
            waiting.step("evil\u001b[2J");
            until("Creating otter: evil\\x1b[2J ... ");
        }
        assertThat(text()).endsWith("\r\u001b[K");
        int length = out.size();
        Thread.sleep(250);
        assertThat(out.size()).as("nothing comes after the end").isEqualTo(length);
    }

    @Test
    void nothingIsShownWhereNobodyLooks() throws InterruptedException {
        try (Waiting waiting = new Waiting(out, false, "Stopping otter")) {
            waiting.step("ledger");
            Thread.sleep(500);
        }
        assertThat(text()).isEmpty();
    }

    @Test
    void aBarFitsIntoItsLine() throws InterruptedException {
        try (ProgressBar bar = new ProgressBar(out, true, "directory/".repeat(20), 1000)) {
            Thread.sleep(150);
            bar.add(500);
        }
        String[] drawn = text().split("\r\u001b\\[K");
        assertThat(drawn).hasSize(2);
        assertThat(drawn[1]).startsWith("...").contains("[===============               ] 50%  500 B").hasSizeLessThan(80);
    }

    private void until(String part) throws InterruptedException {
        while (!text().contains(part)) {
            Thread.sleep(10);
        }
    }

    private String text() {
        synchronized (out) {
            return out.toString(StandardCharsets.UTF_8);
        }
    }
}
