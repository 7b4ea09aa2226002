package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Commands that are run to their end. */
@OnEveryRuntime
class CommandTest {
    private final TestSandbox box;
    private final String runtime;

    CommandTest(String runtime) {
        this.runtime = runtime;
        this.box = SharedDaemon.sandbox(runtime);
    }

    @Test
    void theExitCodeIsReturned() {
        assertThat(box.run(Run.of("true")).exit().code()).isZero();
        assertThat(box.run(Run.shell("exit 42")).exit().code()).isEqualTo(42);
        assertThat(box.run(Run.shell("exit 255")).exit().code()).isEqualTo(255);
    }

    @Test
    void aSignalIsReturnedAsAShellHasIt() {
        CommandResult killed = box.run(Run.shell("kill -9 $$"));
        assertThat(killed.exit().code()).isEqualTo(137);
        assertThat(killed.exit().signal()).isEqualTo(9);
        assertThat(killed.exit().reason()).isNull();
        assertThat(box.run(Run.shell("kill -TERM $$")).exit().code()).isEqualTo(143);
    }

    @Test
    void standardOutputAndErrorAreApart() {
        CommandResult result = box.run(Run.shell("echo out; echo err >&2; printf 'ü\\377'"));
        assertThat(result.stdout()).isEqualTo("out\nü\uFFFD");
        assertThat(result.stderr()).isEqualTo("err\n");
        assertThat(result.stdoutTruncated()).isFalse();
        assertThat(result.stderrTruncated()).isFalse();
    }

    @Test
    void longTextsGoInAndComeOutWhole() {
        String text = "0123456789abcde\n".repeat(60_000);
        assertThat(box.run(Run.of("cat").stdin(text)).stdout()).isEqualTo(text);
        assertThat(box.run(Run.of("printenv", "LONG").env("LONG", "x".repeat(100_000))).stdout()).hasSize(100_001);
        CommandResult large = box.run(Run.shell("head -c 4194304 /dev/zero | tr '\\0' x").outputLimit(8 << 20));
        assertThat(large.stdout()).hasSize(4 << 20).matches("x+");
    }

    @Test
    void theUseOfResourcesIsReturned() {
        CommandResult result = box.run(Run.python("x = bytearray(60 << 20)\nfor i in range(2000000): pass"));
        assertThat(result.exit().userMs()).isPositive();
        assertThat(result.exit().maxRssKb()).isGreaterThan(runtime.equals("container") ? 60_000 : 0);
        assertThat(result.exit().endedAt()).isNotNull();
    }

    @Test
    void theRequestsEnvironmentWinsOverTheSandboxsAndThatOverTheUsers() {
        try (TestSandbox own = SharedDaemon.api().create(SandboxRequest.on(runtime).env(Map.of("LEVEL", "sandbox", "HOME", "/opt", "KEPT", "yes")))) {
            Run command = Run.shell("echo $LEVEL $HOME $KEPT $USER $LOGNAME; echo $PATH").env("LEVEL", "request");
            assertThat(own.output(command)).startsWith("request /opt yes root root\n/").contains("/usr/local/bin:");
        }
    }

    @Test
    void nothingOfTheDaemonsEnvironmentGetsIn() {
        assertThat(box.output("env")).doesNotContain("SANDGLASS").doesNotContain("JAVA");
    }

    @Test
    void itRunsWhereItIsToldTo() {
        assertThat(box.output(Run.of("pwd").in("/usr/share"))).isEqualTo("/usr/share");
        assertThat(box.output(Run.of("pwd"))).isEqualTo("/root");
        assertThat(box.output(Run.of("pwd").as("user"))).isEqualTo("/home/user");
        assertThat(refused(ErrorCode.COMMAND_REFUSED, () -> box.run(Run.of("pwd").in("/nowhere"))).what()).contains("/nowhere");
        refused(ErrorCode.COMMAND_REFUSED, () -> box.run(Run.of("pwd").in("/etc/hostname")));
    }

    @Test
    void itRunsAsWhomItIsToldTo() {
        assertThat(box.output(Run.of("id"))).startsWith("uid=0(root) gid=0(root)");
        assertThat(box.output(Run.of("id").as("user"))).startsWith("uid=1000(user) gid=1000(user)");
        assertThat(box.output(Run.of("id").as("1000"))).startsWith("uid=1000(user) gid=1000(user)");
        assertThat(box.output(Run.shell("id -u; id -g; id -G").as("1234:4321"))).isEqualTo("1234\n4321\n4321");
        assertThat(box.output(Run.shell("id -un; id -gn").as("user:daemon"))).isEqualTo("user\ndaemon");
        assertThat(box.run(Run.of("cat", "/etc/shadow").as("user")).exit().code()).isNotZero();
    }

    @Test
    void anUnknownUserIsRefused() {
        for (String user : List.of("nobody-here", "root:nobody-here", ":", "-1", "99999999999", "user\nroot")) {
            SandglassException refusal = refused(ErrorCode.INVALID_REQUEST, () -> box.run(Run.of("id").as(user)));
            assertThat(refusal.what()).as(user).contains("user");
        }
    }

    @Test
    void aProgramThatIsMissingOrCannotRunIsRefused() {
        assertThat(refused(ErrorCode.PROGRAM_NOT_FOUND, () -> box.run(Run.of("no-such-program"))).what()).contains("no-such-program");
        refused(ErrorCode.COMMAND_REFUSED, () -> box.run(Run.of("/etc/hostname")));
        refused(ErrorCode.COMMAND_REFUSED, () -> box.run(Run.of("/etc")));
        refused(ErrorCode.PROGRAM_NOT_FOUND, () -> box.start(Run.of("no-such-program").pty(80, 24)));
    }

    @Test
    void textGoesToItsStandardInput() {
        assertThat(box.output(Run.of("cat").stdin("hello\nwörld"))).isEqualTo("hello\nwörld");
        assertThat(box.output(Run.of("wc", "-c").stdin("x".repeat(30_000)))).isEqualTo("30000");
        assertThat(box.output(Run.of("cat").stdin(""))).isEmpty();
        assertThat(box.output(Run.of("cat"))).as("without any it reads the end at once").isEmpty();
        assertThat(box.output(Run.of("head", "-c", "3").stdin("x".repeat(30_000)))).as("a reader that leaves early").isEqualTo("xxx");
    }

    @Test
    void outputBeyondTheLimitIsDroppedAndSaidSo() {
        CommandResult both = box.run(Run.shell("head -c 100000 /dev/zero | tr '\\0' o; head -c 5000 /dev/zero | tr '\\0' e >&2").outputLimit(5000));
        assertThat(both.stdout()).isEqualTo("o".repeat(5000));
        assertThat(both.stdoutTruncated()).isTrue();
        assertThat(both.stderr()).isEqualTo("e".repeat(5000));
        assertThat(both.stderrTruncated()).isFalse();
        CommandResult error = box.run(Run.shell("head -c 5001 /dev/zero | tr '\\0' e >&2; echo fine").outputLimit(5000));
        assertThat(error.stderrTruncated()).isTrue();
        assertThat(error.stdoutTruncated()).isFalse();
        assertThat(box.run(Run.of("echo", "x").outputLimit(0)).stdoutTruncated()).isTrue();
    }

    @Test
    void oneThatTakesTooLongIsKilledWithAllItStarted() {
        CommandResult result = box.run(Run.shell("echo before; sleep 4711 & sleep 4711").timeout(500));
        assertThat(result.exit().reason()).isEqualTo("timeout");
        assertThat(result.exit().code()).isEqualTo(137);
        assertThat(result.stdout()).isEqualTo("before\n");
        Eventually.get(() -> box.count("sleep 4711"), Long.valueOf(0)::equals);
    }

    @Test
    void hostileArgumentsArePassedAsTheyAre() {
        String odd = "a b\t'\"$HOME`id`\\ \n\u001b[31m ü *";
        assertThat(box.run(Run.of("printf", "%s", odd)).stdout()).isEqualTo(odd);
        assertThat(box.run(Run.of("printf", "%s", "")).stdout()).isEmpty();
        String large = "x".repeat(30_000);
        assertThat(box.run(Run.of("printf", "%s", large)).stdout()).isEqualTo(large);
        refused(ErrorCode.INVALID_REQUEST, () -> box.run(Run.of("")));
        refused(ErrorCode.INVALID_REQUEST, () -> box.run(Run.of("echo", "a\0b")));
        refused(ErrorCode.INVALID_REQUEST, () -> box.run(Run.of("echo").env("A", "a\0b")));
        refused(ErrorCode.INVALID_REQUEST, () -> box.run(Run.of("echo").env("A=B", "c")));
        refused(ErrorCode.INVALID_REQUEST, () -> box.run(Run.of("pwd").in("/tmp\0/x")));
    }

    @Test
    void manyRunAtOnceAndEachGetsItsOwnOutput() {
        List<Callable<String>> commands = IntStream.range(0, 200)
                .mapToObj(i -> (Callable<String>) () -> box.output("echo " + i))
                .toList();
        assertThat(AtOnce.all(commands)).containsExactlyElementsOf(IntStream.range(0, 200).mapToObj(String::valueOf).toList());
    }

    @Test
    void whatACommandLeavesInTheBackgroundGoesOn() {
        box.output("rm -f /tmp/alive; (trap '' HUP; while :; do date >> /tmp/alive; sleep 0.05; done) > /dev/null 2>&1 & echo $! > /tmp/alive.pid");
        Eventually.get(() -> box.output("wc -l < /tmp/alive"), lines -> Integer.parseInt(lines) > 5);
        box.output("kill $(cat /tmp/alive.pid)");
    }

    @Test
    void aChildThatKeepsTheOutputOpenDoesNotKeepTheCommand() {
        assertThat(box.output("sleep 600 & echo done; echo $! > /tmp/holder")).isEqualTo("done");
        box.output("kill $(cat /tmp/holder)");
    }

    @Test
    void orphansAreReapedAsPidOneMust() {
        box.output("for i in $(seq 50); do (sh -c 'sleep 0.01 &' &) ; done");
        Eventually.get(() -> box.output("ps -e -o stat= | grep -c '^Z' || true"), "0"::equals);
    }
}
