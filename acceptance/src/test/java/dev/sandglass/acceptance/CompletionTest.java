package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tabulator completes verbs, names of sandboxes and paths in them, in each of the shells, in a real terminal. */
@ExtendWith(SharedCheckout.class)
@Timeout(600)
class CompletionTest {
    private Checkout checkout;
    private Terminal terminal;

    @BeforeEach
    void open(Checkout shared) throws IOException, InterruptedException {
        checkout = shared;
        checkout.check("./sandglass create --name tab-box --runtime container");
        terminal = new Terminal(checkout.root(), checkout.environment());
    }

    @AfterEach
    void close() throws IOException, InterruptedException {
        terminal.close();
        checkout.check("./sandglass rm -f tab-box");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void whatIsBegunIsCompleted(String shell) throws IOException, InterruptedException {
        boolean there = checkout.bash("command -v " + shell).status() == 0;
        if (!there) {
            System.err.println("skipped: the completion of " + shell + ", which is not installed");
        }
        assumeTrue(there, shell + " is not installed");
        enter(shell);

        // Some shells show what a word may become before it is completed, so each line is run.
        complete("./sandglass exec tab-", " 'echo comp''leted'");
        terminal.awaitScreen("(?m)^completed$");
        complete("./sandglass ins", " tab-box -o json | grep -c running");
        terminal.awaitScreen("(?m)^1$");
        complete("./sandglass files ls tab-box:/us", " -o table");
        terminal.awaitScreen("share");
        complete("./sandglass files cat tab-", "/etc/hostname");
        terminal.awaitScreen("(?m)^tab-box$");
        complete("./sandglass inspect tab-box --outp", " yaml | head -n 2");
        String screen = terminal.awaitScreen("(?m)^name: tab-box$");
        assertThat(screen).contains("--output");
    }

    private void enter(String shell) throws IOException, InterruptedException {
        switch (shell) {
            case "bash" -> terminal.type("source <(./sandglass completion bash)");
            case "zsh" -> {
                terminal.type("exec zsh -f");
                terminal.type("PS1='host> '; source <(./sandglass completion zsh)");
            }
            default -> {
                terminal.type("exec fish --no-config --private");
                terminal.type("function fish_prompt; echo -n 'host> '; end; ./sandglass completion fish | source");
            }
        }
        terminal.type("clear; echo rea''dy");
        terminal.awaitScreen("(?m)^ready\nhost>$");
    }

    private void complete(String begun, String rest) throws IOException, InterruptedException {
        terminal.awaitScreen("(^|\n)host>$"); // what is typed before belongs to the command that runs
        terminal.type("clear");
        terminal.awaitScreen("^host>$");
        terminal.write(begun);
        terminal.press("Tab");
        terminal.settle();
        terminal.type(rest);
    }
}
