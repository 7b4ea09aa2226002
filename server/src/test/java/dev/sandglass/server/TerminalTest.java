package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commands with a terminal, over a WebSocket. */
@OnEveryRuntime
class TerminalTest {
    private final TestSandbox box;

    TerminalTest(String runtime) {
        this.box = SharedDaemon.sandbox(runtime);
    }

    @Test
    void itHasTheSizeThatItWasGivenAndIsResized() {
        Command command = box.start(Run.shell("stty size; trap 'stty size; exit 7' WINCH; echo ready; while :; do sleep 0.05; done").pty(97, 31));
        assertThat(command.pty()).isTrue();
        try (Attached terminal = box.attach(command)) {
            Eventually.get(terminal::text, text -> text.contains("ready"));
            assertThat(terminal.text()).contains("31 97");
            terminal.resize(132, 43);
            assertThat(terminal.awaitExit().code()).isEqualTo(7);
            assertThat(terminal.text()).contains("43 132");
        }
    }

    @Test
    void itIsResizedByWhoeverIsNotAttachedToo() {
        Command command = box.start(Run.shell("trap 'stty size; exit 7' WINCH; echo ready; while :; do sleep 0.05; done").pty(97, 31));
        Eventually.get(() -> box.said(command), text -> text.contains("ready"));
        box.resize(command, 132, 43);
        assertThat(box.await(command).exit()).isNotNull().extracting(Exit::code).isEqualTo(7);
        assertThat(box.said(command)).contains("43 132");
        Refusals.refused(ErrorCode.COMMAND_ENDED, () -> box.resize(command, 80, 24));
        Refusals.refused(ErrorCode.CONFLICT, () -> box.resize(box.start(Run.of("sleep", "1000")), 80, 24));
    }

    @Test
    void whatIsTypedIsEchoedAndReachesTheCommand() {
        Command command = box.start(Run.of("cat").pty(80, 24));
        try (Attached terminal = box.attach(command)) {
            terminal.type("hello\n");
            Eventually.get(terminal::text, "hello\r\nhello\r\n"::equals);
            terminal.end();
            assertThat(terminal.awaitExit().code()).isZero();
        }
        assertThat(box.await(command).state()).isEqualTo("exited");
    }

    @Test
    void controlCInterruptsWhatRunsInFront() {
        Command command = box.start(Run.shell("trap 'echo interrupted; exit 5' INT; echo ready; while :; do sleep 0.05; done").pty(80, 24));
        try (Attached terminal = box.attach(command)) {
            Eventually.get(terminal::text, text -> text.contains("ready"));
            terminal.type("\u0003");
            assertThat(terminal.awaitExit().code()).isEqualTo(5);
            assertThat(terminal.text()).contains("interrupted");
        }
    }

    @Test
    void aShellHasJobControl() {
        Command command = box.start(Run.of("bash", "--norc", "-i").pty(80, 24).env("PS1", "> "));
        try (Attached terminal = box.attach(command)) {
            terminal.type("sleep 4713\n");
            Eventually.get(() -> box.count("sleep 4713"), Long.valueOf(1)::equals);
            terminal.type("\u0003");
            terminal.type("echo status=$?; tty; exit 9\n");
            assertThat(terminal.awaitExit().code()).isEqualTo(9);
            assertThat(terminal.text()).contains("status=130").contains("/dev/pts/").doesNotContain("no job control");
        }
    }

    @Test
    void leavingDoesNotEndItAndTheNextReaderSeesWhatWasKept() {
        Command command = box.start(Run.of("cat").pty(80, 24));
        try (Attached first = box.attach(command)) {
            first.type("one\n");
            Eventually.get(first::text, text -> text.contains("one\r\none"));
        }
        try (Attached second = box.attach(command)) {
            Eventually.get(second::text, text -> text.contains("one\r\none"));
            try (Attached third = box.attach(command)) {
                third.type("two\n");
                for (Attached each : List.of(second, third)) {
                    Eventually.get(each::text, text -> text.contains("two\r\ntwo"));
                }
                third.end();
                second.awaitExit();
                third.awaitExit();
            }
        }
    }

    @Test
    void whatItTypesCannotReachTheCallersTerminal() {
        String script = """
                import fcntl, termios
                try:
                    fcntl.ioctl(0, termios.TIOCSTI, b'x'); print('pushed')
                except OSError as e: print('refused')
                """;
        Command command = box.start(Run.python(script).pty(80, 24));
        try (Attached terminal = box.attach(command)) {
            terminal.awaitExit();
            assertThat(terminal.text()).contains("refused").doesNotContain("pushed");
        }
    }
}
