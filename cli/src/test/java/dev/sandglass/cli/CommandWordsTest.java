package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CommandWordsTest {
    @Test
    void theCommandsOwnOptionsAreLeftToIt() {
        exec("box ls -l", "box -- ls -l", false);
        exec("-u root box --timeout 5 ls -d --env x", "-u root box --timeout 5 -- ls -d --env x", false);
        exec("--timeout=5 -eA=b -e C=d box -dt ls", "--timeout=5 -eA=b -e C=d box -dt -- ls", false);
        exec("-tw /tmp box ls", "-tw /tmp box -- ls", false);
        exec("box", "box", false);
    }

    @Test
    void anExplicitMarkIsKept() {
        exec("box -- ls -l", "box -- ls -l", true);
        exec("-d box -- ls", "-d box -- ls", true);
        exec("box sh -c -- x", "box -- sh -c -- x", false);
    }

    @Test
    void runHasNoOperandBeforeTheCommand() {
        CommandWords words = CommandWords.split(new RunVerb().syntax.spec(), 0, "--memory 1G python3 -m http.server".split(" "));
        assertThat(String.join(" ", words.args())).isEqualTo("--memory 1G -- python3 -m http.server");
    }

    private static void exec(String typed, String expected, boolean explicit) {
        CommandWords words = CommandWords.split(new ExecVerb().syntax.spec(), 1, typed.split(" "));
        assertThat(String.join(" ", words.args())).isEqualTo(expected);
        assertThat(words.explicit()).isEqualTo(explicit);
    }
}
