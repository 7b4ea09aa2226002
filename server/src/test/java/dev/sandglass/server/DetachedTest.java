package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.OutputEvent;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commands that are started and left: listed, waited for, signalled, fed, and their output read while and after they run. */
@OnEveryRuntime
class DetachedTest {
    private static final int FEED = 20 << 20;

    private final TestSandbox box;

    DetachedTest(String runtime) {
        this.box = SharedDaemon.sandbox(runtime);
    }

    @Test
    void itIsListedWhileItRunsAndAfter() {
        Command command = box.start(Run.of("cat").withInput().as("user").in("/usr"));
        assertThat(command.state()).isEqualTo("running");
        assertThat(command.argv()).containsExactly("cat");
        assertThat(command.user()).isEqualTo("user");
        assertThat(command.cwd()).isEqualTo("/usr");
        assertThat(command.pty()).isFalse();
        assertThat(box.output("cat /proc/" + command.pid() + "/comm")).isEqualTo("cat");
        assertThat(box.commands()).extracting(Command::id).contains(command.id());
        assertThat(box.await(command, 1).state()).as("a wait that ends before the command").isEqualTo("running");
        box.input(command, "", true);
        Command ended = box.await(command);
        assertThat(ended.state()).isEqualTo("exited");
        assertThat(ended.exit()).isNotNull();
        assertThat(box.command(command.id())).isEqualTo(ended);
        assertThat(box.commands()).contains(ended);
    }

    @Test
    void aSignalReachesTheWholeGroup() {
        Command command = box.start(Run.shell("sleep 4712 & sleep 4712 & echo up; wait"));
        Eventually.get(() -> Following.text(box.kept(command), "stdout"), "up\n"::equals);
        box.signal(command, "TERM");
        assertThat(box.await(command).exit()).extracting("code").isEqualTo(143);
        Eventually.get(() -> box.count("sleep 4712"), Long.valueOf(0)::equals);
    }

    @Test
    void signalsHaveNamesAndNumbers() {
        Command command = box.start(Run.shell("trap 'echo usr1' USR1; trap 'echo usr2; exit 3' USR2; echo up; while :; do sleep 0.05; done"));
        Eventually.get(() -> Following.text(box.kept(command), "stdout"), "up\n"::equals);
        box.signal(command, "SIGUSR1");
        Eventually.get(() -> Following.text(box.kept(command), "stdout"), "up\nusr1\n"::equals);
        box.signal(command, "12");
        assertThat(box.await(command).exit()).extracting("code").isEqualTo(3);
        refused(ErrorCode.INVALID_REQUEST, () -> box.signal(command, "NOPE"));
        refused(ErrorCode.INVALID_REQUEST, () -> box.signal(command, "0"));
        refused(ErrorCode.INVALID_REQUEST, () -> box.signal(command, "65"));
    }

    @Test
    void oneThatHasEndedGetsNoSignal() {
        Command command = box.start(Run.of("true"));
        box.await(command);
        assertThat(refused(ErrorCode.COMMAND_ENDED, () -> box.signal(command, "TERM")).what()).contains(command.id(), "ended already");
    }

    @Test
    void itsOutputIsKeptAndReadAgain() {
        Command command = box.start(Run.shell("echo one; echo two >&2"));
        box.await(command);
        List<OutputEvent> first = box.kept(command);
        assertThat(Following.text(first, "stdout")).isEqualTo("one\n");
        assertThat(Following.text(first, "stderr")).isEqualTo("two\n");
        assertThat(first.getLast().exit()).isNotNull();
        assertThat(box.kept(command)).isEqualTo(first);
        try (Following from = box.follow(command, 4)) {
            assertThat(Following.text(from.rest(), "")).isIn("two\n", "one\n");
        }
    }

    @Test
    void itsOutputIsFollowedToItsEnd() {
        Command command = box.start(Run.of("cat").withInput());
        try (Following following = box.follow(command, 0)) {
            box.input(command, "first\n", false);
            assertThat(Following.text(List.of(following.next().orElseThrow()), "stdout")).isEqualTo("first\n");
            box.input(command, "second\n", true);
            List<OutputEvent> rest = following.rest();
            assertThat(Following.text(rest, "stdout")).isEqualTo("second\n");
            assertThat(rest.getLast().exit()).isNotNull();
        }
    }

    @Test
    void twoReadBesideEachOther() {
        Command command = box.start(Run.of("cat").withInput());
        try (Following first = box.follow(command, 0)) {
            box.input(command, "before\n", false);
            assertThat(Following.text(List.of(first.next().orElseThrow()), "stdout")).isEqualTo("before\n");
            try (Following second = box.follow(command, 0)) {
                assertThat(Following.text(List.of(second.next().orElseThrow()), "stdout")).isEqualTo("before\n");
                box.input(command, "after\n", true);
                assertThat(Following.text(second.rest(), "stdout")).isEqualTo("after\n");
                assertThat(Following.text(first.rest(), "stdout")).isEqualTo("after\n");
            }
        }
    }

    @Test
    void inputOfAnySizeIsStreamedIn() {
        byte[] bytes = Bodies.random(1, FEED);
        Command command = box.start(Run.of("sha256sum").withInput());
        box.input(command, BodyPublishers.ofByteArray(bytes), true);
        box.await(command);
        assertThat(Following.text(box.kept(command), "stdout")).startsWith(Bodies.sha256(bytes));
        refused(ErrorCode.STDIN_CLOSED, () -> box.input(command, "more", false));
    }

    @Test
    void inputToACommandWithoutAnyIsRefused() {
        Command command = box.start(Run.of("sleep", "600"));
        refused(ErrorCode.STDIN_CLOSED, () -> box.input(command, "x", false));
        box.signal(command, "KILL");
        assertThat(box.await(command).exit()).extracting("code").isEqualTo(137);
    }

    @Test
    void aSlowReaderStallsNothingElse() {
        Command fast = box.start(Run.shell("yes 0123456789 | head -c 30000000; echo end").hold());
        try (Following reader = box.follow(fast, 0)) {
            assertThat(reader.next()).isPresent();
            assertThat(box.output("echo other")).isEqualTo("other");
            assertThat(box.files().read("/etc/hostname")).isNotEmpty();
            assertThat(Following.text(reader.rest(), "stdout")).endsWith("0123456789end\n".substring(10));
        }
        assertThat(box.await(fast).exit()).extracting("code").isEqualTo(0);
    }

    @Test
    void outputThatNobodyReadsEndsAndKeepsItsTail() {
        long bytes = Soak.on() ? 10_000_000_000L : 1_000_000_000L;
        Command command = box.start(Run.shell("head -c " + bytes + " /dev/zero | tr '\\0' x; echo; echo the-end"));
        Command ended = box.await(command, 600_000);
        assertThat(ended.state()).isEqualTo("exited");
        List<OutputEvent> told = box.kept(command);
        String kept = Following.text(told, "stdout");
        assertThat(kept).endsWith("xxx\nthe-end\n").hasSizeBetween(200_000, 300_000);
        assertThat(told.getFirst().dropped()).as("what is missing is told").isEqualTo(bytes + "\nthe-end\n".length() - kept.length());
    }

    @Test
    void aTimeLimitHoldsForItToo() {
        Command command = box.start(Run.of("sleep", "600").timeout(300));
        assertThat(box.await(command).exit()).extracting("reason").isEqualTo("timeout");
    }
}
