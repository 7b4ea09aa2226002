package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Verbs that stay and tell what happens: {@code logs -f}, {@code events -f}, {@code files watch} and {@code --watch} in a pipe. */
@ExtendWith(SharedCheckout.class)
@Timeout(600)
class FollowingTest {
    @TempDir
    Path host;

    private Checkout checkout;

    @BeforeEach
    void open(Checkout shared) throws IOException, InterruptedException {
        checkout = shared;
        checkout.check("./sandglass create --name follow-box --runtime container");
    }

    @AfterEach
    void remove() throws IOException, InterruptedException {
        checkout.check("./sandglass rm -f follow-box");
    }

    @Test
    void logsComeAsTheyArePrintedUntilTheCommandEnds() throws IOException, InterruptedException {
        String printed = check("""
                handle=$(./sandglass exec -d follow-box -- sh -c 'echo one; until [ -e /tmp/go ]; do sleep 0.1; done; echo two >&2; exit 3')
                follow logs -f follow-box $handle
                await '^one$'
                ./sandglass exec follow-box -- touch /tmp/go
                wait $pid
                echo "ended with $?"; cat "$out"; cat "$out.err"
                """);
        assertThat(printed).isEqualTo("ended with 0\none\ntwo\n");
    }

    @Test
    void logsGoOnWithTheNextDaemon() throws IOException, InterruptedException {
        String printed = check("""
                handle=$(./sandglass exec -d follow-box -- sh -c 'echo one; until [ -e /tmp/go ]; do sleep 0.1; done; echo two')
                follow logs -f follow-box $handle
                await '^one$'
                kill -KILL $(cat "$SANDGLASS_RUN_DIR/daemon.pid")
                ./sandglass up
                ./sandglass exec follow-box -- touch /tmp/go
                wait $pid
                echo "ended with $?"; cat "$out"; cat "$out.err"
                """);
        assertThat(printed).isEqualTo("ended with 0\none\ntwo\n");
    }

    @Test
    void aCopyThatIsInterruptedLeavesNothing() throws IOException, InterruptedException {
        String printed = check("""
                ./sandglass exec follow-box -- truncate -s 9G /workspace/large
                mkdir "$out.d"
                follow cp follow-box:/workspace/large "$out.d/large"
                until [ -n "$(ls -A "$out.d")" ]; do sleep 0.05; done
                kill -INT $pid
                wait $pid
                echo "ended with $?"; ls -A "$out.d"
                """);
        assertThat(printed).isEqualTo("ended with 130\n");
    }

    @Test
    void logsOfAllCommandsSayWhose() throws IOException, InterruptedException {
        String printed = check("""
                for i in 1 2; do
                    ./sandglass exec -d follow-box -- sh -c "echo from-$i; until [ -e /tmp/go ]; do sleep 0.1; done; echo end-$i"
                done
                follow logs --follow follow-box
                await 'from-1'
                await 'from-2'
                ./sandglass exec follow-box -- touch /tmp/go
                wait $pid
                sort "$out"
                """);
        assertThat(printed.lines().filter(line -> line.contains("|"))).containsExactly("cmd-1 | end-1", "cmd-1 | from-1", "cmd-2 | end-2", "cmd-2 | from-2");
    }

    @Test
    void eventsComeAsTheyHappenAlsoFromTheNextDaemon() throws IOException, InterruptedException {
        String printed = check("""
                follow events -f -o table -n 1 follow-box
                await 'sandbox.created .*follow-box'
                ./sandglass stop follow-box
                await 'sandbox.stopped .*follow-box'
                kill -KILL $(cat "$SANDGLASS_RUN_DIR/daemon.pid")
                ./sandglass up
                ./sandglass start follow-box
                await 'sandbox.started .*follow-box'
                kill -INT $pid
                wait $pid
                echo "ended with $?"; grep -o 'sandbox[.][a-z]*' "$out"
                """);
        assertThat(printed).endsWith("ended with 130\nsandbox.created\nsandbox.stopping\nsandbox.stopped\nsandbox.starting\nsandbox.started\n");
    }

    @Test
    void changesOfFilesAreTold() throws IOException, InterruptedException {
        String printed = check("""
                ./sandglass exec follow-box -- mkdir -p /root/d/sub
                follow files watch -o table follow-box:/root/d
                await_err 'Watching'
                ./sandglass exec follow-box 'echo x > /root/d/sub/new'
                await 'write +sub/new'
                ./sandglass files mv follow-box:/root/d/sub/new follow-box:/root/d/old
                await 'rename_to +old'
                ./sandglass files rm -r follow-box:/root/d/sub
                await 'remove +sub/$'
                kill -TERM $pid
                wait $pid
                echo "ended with $?"
                follow files watch follow-box:/root/d
                await '"event":"ready"'
                ./sandglass exec follow-box -- touch /root/d/old
                await '"event":"attributes","path":"old","directory":false'
                kill $pid
                """);
        assertThat(printed).contains("ended with 143\n");
    }

    @Test
    void aWatchInAPipeIsALineOfJsonAfterTheOther() throws IOException, InterruptedException {
        String printed = check("""
                follow ls --watch --interval 200ms --filter name=follow-box
                await '"state":"running"'
                ./sandglass stop follow-box
                await '"state":"stopped"'
                kill -INT $pid
                wait $pid
                echo "ended with $?"
                follow stats --watch --interval 200ms -o table
                await '^machine'
                kill $pid
                """);
        assertThat(printed).contains("ended with 130\n");
    }

    /** Runs a script that can follow a verb in the background and await what it prints. */
    private String check(String script) throws IOException, InterruptedException {
        String tools = """
                set -m # what is in the background heeds INT so, and by env also where whoever runs the tests ignores it
                out='HOST/out'
                follow() { env --default-signal=INT ./sandglass "$@" > "$out" 2> "$out.err" < /dev/null & pid=$!; }
                await_in() { for ((i = 0; i < 600; i++)); do ! grep -qE -- "$2" "$1" || return 0; sleep 0.1; done
                    echo "never printed: $2" >&2; cat "$out" "$out.err" >&2; kill -KILL $pid; exit 1; }
                await() { await_in "$out" "$1"; }
                await_err() { await_in "$out.err" "$1"; }
                """;
        return checkout.check(tools.replace("HOST", host.toString()) + script);
    }
}
