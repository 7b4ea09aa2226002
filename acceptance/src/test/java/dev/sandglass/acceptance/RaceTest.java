package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Copies try the same at once: one is kept, nothing is left of the others. */
@ExtendWith(SharedCheckout.class)
@Timeout(600)
class RaceTest {
    private Checkout checkout;

    @BeforeEach
    void open(Checkout shared) throws IOException, InterruptedException {
        checkout = shared;
        checkout.check("./sandglass create --name race-box --runtime container");
    }

    @AfterEach
    void remove() throws IOException, InterruptedException {
        checkout.check("./sandglass rm -f race-box; for i in $(seq 8); do ./sandglass rm -f run-$i; done");
    }

    @Test
    void theFirstSuccessIsKeptAndTheOthersGo() throws IOException, InterruptedException {
        String printed = checkout.check("""
                ./sandglass race race-box -n 3 --name run -o table -- sh -c 'test $SANDGLASS_BRANCH = 2 || sleep 1000; echo $SANDGLASS_BRANCH > /workspace/winner' 2>/dev/null | grep kept | cut -d' ' -f1
                ./sandglass exec run-2 -- cat /workspace/winner
                ./sandglass ls -q -o table | grep -c ^run- || true
                ./sandglass ls -o json | grep -o '"name":"run-[0-9]"'
                """);
        assertThat(printed).contains("2\n2\n", "\"run-2\"").doesNotContain("\"run-1\"", "\"run-3\"");
    }

    @Test
    void theBestScoreIsKept() throws IOException, InterruptedException {
        String printed = checkout.check("""
                ./sandglass race race-box -n 3 --name run --score-cmd 'cat /workspace/points' -o json -- sh -c 'echo $((7 * SANDGLASS_BRANCH % 5)) > /workspace/points'
                """);
        assertThat(printed).contains("\"branch\":2", "\"score\":4.0,").containsPattern("\"branch\":2[^}]*\"kept\":true");
    }

    @Test
    void whatIsNoNumberIsNoScore() throws IOException, InterruptedException {
        String printed = checkout.check("""
                ./sandglass race race-box -n 3 --name run --score-cmd 'case $SANDGLASS_BRANCH in 1) echo NaN;; 2) echo -5;; 3) echo Infinity;; esac' -o json -- true
                """);
        assertThat(printed).containsPattern("\"branch\":2[^}]*\"score\":-5.0[^}]*\"kept\":true").doesNotContain("NaN", "Infinity");
    }

    @Test
    void whoEndsItWhileItForksLeavesNothing() throws IOException, InterruptedException {
        checkout.check("""
                set -m # what is in the background heeds INT so
                ./sandglass rm -f race-box; ./sandglass create --name race-box --runtime gvisor
                for signal in INT TERM; do
                    env --default-signal=$signal ./sandglass race race-box -n 8 --name run -- sleep 1000 > /dev/null 2>&1 < /dev/null & pid=$!
                    for i in $(seq 600); do ./sandglass ls -o json | grep -q '"name":"run-[0-9]"' && break; sleep 0.1; done
                    kill -$signal $pid; wait $pid || true
                    ./sandglass ls -o json | grep '"name":"run-[0-9]"' && exit 1
                done
                true
                """);
    }

    @Test
    void whenNobodySucceedsNothingIsKept() throws IOException, InterruptedException {
        String printed = checkout.check("""
                ./sandglass race race-box -n 2 --name run -o json -- false; echo "ended with $?"
                ./sandglass ls -o json | grep -c '"name":"run-[0-9]"' || true
                """);
        assertThat(printed).contains("ended with 1", "\"outcome\":\"failed\"").endsWith("0\n");
    }
}
