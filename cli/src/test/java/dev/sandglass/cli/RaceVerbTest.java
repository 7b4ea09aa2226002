package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RaceVerbTest extends VerbFixture {
    private static final String COMMAND =
            "{\"id\":\"cmd-1\",\"argv\":[\"x\"],\"pty\":false,\"state\":\"running\",\"pid\":5,\"started_at\":\"2026-01-01T00:00:00Z\"}";
    private static final String ATTACH = "GET /v1/sandboxes/sbx-%d/commands/cmd-1/attach?offset=";

    @BeforeEach
    void fork() {
        String copies = copy(1) + "," + copy(2);
        daemon.on("POST /v1/sandboxes/box/fork", 201, "{\"sandboxes\":[" + copies + "],\"pause_ms\":1}")
                .on("POST /v1/sandboxes/sbx-1/commands", 201, COMMAND)
                .on("POST /v1/sandboxes/sbx-2/commands", 201, COMMAND)
                .on("DELETE /v1/sandboxes/", 204, "");
    }

    @Test
    void whoIsBeatenIsSaidToBeWithItsTimeAndNothingElse() {
        secondIsBeaten("working\n", Pattern.compile("working\n"));
        assertThat(console.run("race", "box", "-o", "table", "--", "x")).isZero();
        assertThat(console.err).isEqualToNormalizingNewlines("2 | working\n1 | done\n");
        assertThat(console.out).containsPattern("1 +r1 +succeeded +0 +\\d+ ms +kept").containsPattern("2 +r2 +beaten +[1-9]\\d* ms");
        assertThat(daemon.asked).filteredOn(request -> request.startsWith("DELETE")).containsExactly("DELETE /v1/sandboxes/sbx-2");
    }

    @Test
    void onATerminalEachHasARowWhichGoesBeforeTheResult() {
        secondIsBeaten("wor\nwork\u001b[2Jing\n", Pattern.compile("\n  2  running +\\d+\\.\\d s  work\\\\x1b\\[2Jing\u001b"));
        assertThat(console.terminals(1, 2).run("race", "box", "--", "x")).isZero();
        assertThat(screen()).endsWith("\r\u001b[2A\u001b[J" + console.out).doesNotContain("2 | ");
    }

    @Test
    void aScoreIsANumberForPeople() {
        for (int i = 1; i <= 2; i++) {
            daemon.onAttach(ATTACH.formatted(i), socket -> socket.exit(0, ""))
                    .on("POST /v1/sandboxes/sbx-" + i + "/commands/run", 200,
                            "{\"exit\":{\"code\":0,\"user_ms\":0,\"system_ms\":0,\"max_rss_kb\":0},\"stdout\":\"" + i + ".0\\n\",\"stderr\":\"\",\"stdout_truncated\":false,\"stderr_truncated\":false}");
        }
        assertThat(console.run("race", "box", "--score-cmd", "score", "-o", "table", "--", "x")).isZero();
        assertThat(console.out).containsPattern("2 +r2 +succeeded +0 +2 +\\d+ ms +kept").doesNotContain("2.0");
    }

    /** The first succeeds when what the second says is on the screen. */
    private void secondIsBeaten(String says, Pattern seen) {
        CountDownLatch never = new CountDownLatch(1);
        daemon.onAttach(ATTACH.formatted(2), socket -> {
            socket.send(1, says);
            awaited(never);
        });
        daemon.onAttach(ATTACH.formatted(1), socket -> {
            long begun = System.nanoTime();
            while (!seen.matcher(screen()).find() || System.nanoTime() - begun < 2_000_000) {
                LockSupport.parkNanos(5_000_000);
            }
            socket.send(1, "done\n");
            socket.exit(0, "");
        });
    }

    private String screen() {
        return console.screen.toString(StandardCharsets.UTF_8);
    }

    private static String copy(int number) {
        return VerbsTest.SANDBOX.replace("sbx-aaaaaaaaaaaa", "sbx-" + number).replace("bra\\u001bve", "r" + number);
    }

    private static void awaited(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            throw new IOException(stopped);
        }
    }
}
