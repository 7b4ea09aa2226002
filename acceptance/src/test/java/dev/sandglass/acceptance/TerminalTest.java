package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line in a real terminal: what is typed, resized and interrupted, and that the terminal is whole afterwards. */
@ExtendWith(SharedCheckout.class)
@Timeout(600)
class TerminalTest {
    private static final String MODES = "stty -a | grep -oE -- '-?(icanon|echo|isig|opost|icrnl)\\b' | xargs";
    private static final String SANE = "icrnl opost isig icanon echo";

    private Checkout checkout;
    private Terminal terminal;

    @BeforeEach
    void open(Checkout shared) throws IOException, InterruptedException {
        checkout = shared;
        checkout.check("./sandglass create --name tty-box --runtime container");
        terminal = new Terminal(checkout.root(), checkout.environment());
    }

    @AfterEach
    void close() throws IOException, InterruptedException {
        terminal.close();
        checkout.check("./sandglass rm -f tty-box");
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void aShellHasTheTerminalsSizeAndKeysAndLeavesItWhole(String runtime) throws IOException, InterruptedException {
        checkout.check("./sandglass rm tty-box && ./sandglass create --name tty-box --runtime " + runtime);
        shell();
        assertThat(terminal.ask("stty size")).isEqualTo("30 100");
        terminal.resize(120, 40);
        terminal.awaitScreen("tty-box");
        assertThat(terminal.ask("until [ \"$(stty size)\" = '40 120' ]; do sleep 0.1; done; stty size")).isEqualTo("40 120");

        terminal.type("clear; sh -c 'echo wai\"\"ting; exec sleep 1000'"); // what prints it has the foreground, and with it the key
        terminal.awaitScreen("waiting");
        terminal.press("C-c");
        terminal.type("echo ended with $?");
        terminal.awaitScreen("ended with 130");

        terminal.type("exit 7");
        terminal.awaitScreen("(?m)^host>$");
        terminal.type("echo code $?");
        terminal.awaitScreen("code 7");
        assertWhole();
    }

    @Test
    void theTerminalIsWholeAfterASignalToTheCommandLine() throws IOException, InterruptedException {
        shell();
        checkout.check("kill -TERM " + commandLine());
        terminal.awaitScreen("host>$");
        assertWhole();
        checkout.check("until [ -z \"$(./sandglass ps tty-box -q)\" ]; do sleep 0.1; done");
    }

    @Test
    void theTerminalIsWholeAfterTheCommandLineIsKilled() throws IOException, InterruptedException {
        // A shell that is typed at puts the modes in order by itself when a job of it is killed; one inside of a script does not.
        shell("(./sandglass shell tty-box; until [ \"$(" + MODES + ")\" = '" + SANE + "' ]; do sleep 0.1; done; echo who''le)");
        ProcessHandle guard = guard();
        kill(commandLine());
        terminal.awaitScreen("whole");
        guard.onExit().join();

        terminal.awaitScreen("(?m)^host>$");
        shell();
        kill(commandLine());
        terminal.awaitScreen("host>$");
        assertWhole();
    }

    @Test
    void whoGuardsTheTerminalGoesWithTheCommandLine() throws IOException, InterruptedException {
        for (String end : List.of("exit", "kill -KILL $$")) {
            shell();
            ProcessHandle guard = guard();
            terminal.type(end);
            terminal.awaitScreen("host>$");
            guard.onExit().join();
            assertWhole();
        }
    }

    @Test
    void theTerminalIsWholeAfterTheSandboxIsGone() throws IOException, InterruptedException {
        shell();
        checkout.check("./sandglass rm tty-box");
        terminal.awaitScreen("(?s)error: .*host>$");
        assertWhole();
    }

    @Test
    void aShellOutlivesTheDaemon() throws IOException, InterruptedException {
        shell();
        terminal.ask("secret=otter");
        kill(checkout.daemon());
        terminal.awaitScreen("The connection to the daemon broke");
        checkout.check("./sandglass up");
        terminal.awaitScreen("Connected again");
        assertThat(terminal.ask("echo still $secret")).isEqualTo("still otter");
    }

    @Test
    void theTerminalIsInOrderWhenWhatIsDrawnIsStopped() throws IOException, InterruptedException {
        for (String signal : List.of("TERM", "INT")) {
            terminal.type("clear; echo be''fore; ./sandglass ls --filter name=tty-box --watch --interval 300ms");
            terminal.awaitScreen("(?s)^NAME.*tty-box .* running");
            checkout.check("kill -" + signal + " $(pgrep -f 'cli.Main ls --filte[r] name=tty-box')");
            terminal.awaitScreen("(?m)^host>$");
            assertThat(terminal.history()).as("what was there is in the history").contains("before");
            assertWhole();

            terminal.type("clear; while sleep 0.2; do echo x; done | ./sandglass cp - tty-box:/root/f");
            terminal.awaitScreen("(?m)^-  [0-9]+ B  .*/s$");
            checkout.check("kill -" + signal + " $(pgrep -f 'cli.Main cp - tty-bo[x]')");
            assertThat(terminal.awaitScreen("(?m)^host>$")).doesNotContain("B/s");
            assertWhole();
        }
    }

    @Test
    void whoWaitsSeesWhatFor() throws IOException, InterruptedException {
        String handle = checkout.check("./sandglass exec -d tty-box -- sh -c \"trap '' TERM; echo deaf; while :; do sleep 1; done\"").strip();
        checkout.check("until ./sandglass logs tty-box " + handle + " | grep -q deaf; do sleep 0.1; done");
        terminal.type("clear; ./sandglass stop --grace 5s tty-box");
        terminal.awaitScreen("(?m)^Stopping tty-box \\.\\.\\. [0-9.]+ s$");
        assertThat(terminal.awaitScreen("(?m)^tty-box   stopped$")).doesNotContain("Stopping");

        checkout.check("kill -STOP " + checkout.daemon());
        terminal.type("clear; ./sandglass create --wait --name tty-two");
        try {
            terminal.awaitScreen("(?m)^Creating tty-two.* \\.\\.\\. [0-9.]+ s$");
        } finally {
            checkout.check("kill -CONT " + checkout.daemon());
        }
        assertThat(terminal.awaitScreen("(?m)^tty-two   sbx-.*\nhost>$")).doesNotContain("Creating");
        checkout.check("./sandglass rm tty-two");
    }

    @Test
    void tablesAndQuestionsAreForPeople() throws IOException, InterruptedException {
        assertThat(terminal.ask("./sandglass ls --filter name=tty-box")).containsPattern("NAME .*\n.*tty-box .* running");
        checkout.check("./sandglass exec tty-box -- sh -c \"printf 'a\\033]0;evil\\007b' > /root/f\"");
        assertThat(terminal.ask("./sandglass files cat tty-box:f")).isEqualTo("a\\x1b]0;evil\\x07b");
        terminal.type("clear; ./sandglass rm --filter name=tty-box");
        terminal.awaitScreen("Remove 1 sandbox \\(tty-box\\)\\?");
        terminal.type("n");
        terminal.awaitScreen("Nothing was removed");
        terminal.type("clear; ./sandglass ls --filter name=tty-box --watch --interval 300ms");
        terminal.awaitScreen("tty-box .* running");
        checkout.check("./sandglass rm tty-box");
        terminal.awaitScreen("(?s)^NAME[^\n]*$");
        terminal.press("C-c");
        terminal.awaitScreen("(?m)^(\\^C)?host>$");
    }

    @Test
    void whoLeavesACommandWithItsKeysFindsItAgain() throws IOException, InterruptedException {
        String handle = checkout.check("./sandglass exec -d -t tty-box -- sh -c 'echo here; read line; echo got $line; read line'").strip();
        terminal.type("clear; ./sandglass attach tty-box " + handle);
        terminal.awaitScreen("(?m)^here$");
        terminal.press("C-p", "C-q");
        terminal.awaitScreen("(?s)The command goes on; .*attach tty-box " + handle + ".*host>$");
        assertWhole();
        assertThat(checkout.check("./sandglass ps tty-box -q").strip()).isEqualTo(handle);
        terminal.type("clear; ./sandglass attach tty-box");
        terminal.awaitScreen("(?m)^here$");
        terminal.type("otter");
        terminal.awaitScreen("(?m)^got otter$");
        terminal.press("Enter");
        terminal.awaitScreen("(?m)^host>$");
        checkout.check("[ -z \"$(./sandglass ps tty-box -q)\" ]");
    }

    @Test
    void rmAsksBeforeItRemovesThoseThatItNames() throws IOException, InterruptedException {
        checkout.check("./sandglass create --name tty-two --runtime container");
        terminal.type("clear; ./sandglass rm --all");
        terminal.awaitScreen("Remove [0-9]+ sandboxes \\(.*tty-box.*tty-two.*\\)\\? \\[y/N\\]");
        terminal.press("C-c");
        terminal.awaitScreen("host>$");
        checkout.check("./sandglass inspect tty-box tty-two");
        terminal.type("clear; ./sandglass rm --all");
        terminal.awaitScreen("\\[y/N\\]$"); // not the question that was left
        terminal.type("y");
        terminal.awaitScreen("(?s)\ntty-box\n.*tty-two\n.*host>$");
        assertThat(checkout.check("./sandglass ls -q")).isEmpty();
    }

    @Test
    void aRaceHasARowForEachAndLeavesOnlyItsResult() throws IOException, InterruptedException {
        terminal.type("clear; ./sandglass race tty-box -n 2 --name tty-run -- sh -c 'echo at work; [ $SANDGLASS_BRANCH = 2 ] || sleep 1000; until [ -e /workspace/go ]; do sleep 0.1; done'");
        terminal.awaitScreen("(?m)^  1  running +[0-9.]+ s  at work\n  2  running +[0-9.]+ s  at work$");
        checkout.check("./sandglass exec tty-run-2 -- touch /workspace/go");
        String screen = terminal.awaitScreen("(?s)BRANCH[^\n]*\n1 +tty-run-1 +beaten +[1-9][0-9]* ms\n2 +tty-run-2 +succeeded +0 .* kept\nhost>$");
        assertThat(screen).doesNotContain("running", "Interrupted");
        checkout.check("./sandglass rm tty-run-2");
    }

    private void shell() throws IOException, InterruptedException {
        shell("./sandglass shell tty-box");
    }

    private void shell(String line) throws IOException, InterruptedException {
        terminal.type("clear; " + line);
        terminal.awaitScreen("root@tty-box:~#$");
    }

    private void assertWhole() throws IOException, InterruptedException {
        assertThat(terminal.ask(MODES)).isEqualTo(SANE);
    }

    /** The process that serves the shell. */
    private long commandLine() throws IOException, InterruptedException {
        return Long.parseLong(checkout.check("pgrep -f 'cli.Main shel[l] tty-box'").strip());
    }

    /** The process that puts the terminal in order when that one is killed. */
    private ProcessHandle guard() throws IOException, InterruptedException {
        return ProcessHandle.of(commandLine()).orElseThrow().children().findAny().orElseThrow();
    }

    private static void kill(long pid) {
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
        process.destroyForcibly();
        process.onExit().join();
    }
}
