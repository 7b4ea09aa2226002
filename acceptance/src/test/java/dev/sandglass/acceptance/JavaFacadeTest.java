package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.client.CommandFailedException;
import dev.sandglass.client.CommandResult;
import dev.sandglass.client.Daemon;
import dev.sandglass.client.Paginator;
import dev.sandglass.client.PtyHandle;
import dev.sandglass.client.RaceBranch;
import dev.sandglass.client.RaceResult;
import dev.sandglass.client.Sandbox;
import dev.sandglass.client.SandboxInfo;
import dev.sandglass.client.WatchHandle;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the client for Java has beside the scenarios: streams, interrupts, progress, terminals, local directories. */
@ExtendWith(SharedCheckout.class)
@Timeout(600)
class JavaFacadeTest {
    private static final long BIG = 32 << 20;

    private Daemon daemon;
    private Sandbox box;

    @BeforeEach
    void open(Checkout checkout) throws IOException {
        Map<String, String> environment = checkout.environment();
        String token = Files.readString(Path.of(environment.get("SANDGLASS_DATA_DIR"), "token")).strip();
        daemon = Daemon.at("unix://" + environment.get("SANDGLASS_RUN_DIR") + "/sandglass.sock", token);
        box = Sandbox.create(daemon, options -> options.runtime("container").memoryMb(512).metadata("test", "java"));
    }

    @AfterEach
    void close() {
        box.close();
        assertThat(box.isRunning()).isFalse();
    }

    @Test
    void outputIsToldWhileItComesAndCharactersAreNotCut() {
        List<String> told = new CopyOnWriteArrayList<>();
        CommandResult result = box.commands().run("printf 'gr\\303'; until [ -e /root/go ]; do sleep 0.05; done; printf '\\274n'; echo wrong >&2", how -> how.onStdout(text -> {
            told.add(text);
            box.files().write("/root/go", "");
        }).onStderr(text -> told.add("!" + text)));
        assertThat(result.stdout()).isEqualTo("grün");
        assertThat(told).startsWith("gr", "ün").contains("!wrong\n");
    }

    @Test
    void aCommandReadsWhatItIsGivenAndACodeThatIsNotToBeIsAnError() {
        String much = "a".repeat(4_000_000);
        assertThat(box.commands().run("tr a b", how -> how.stdin(much)).stdout()).isEqualTo(much.replace('a', 'b'));
        assertThat(box.commands().run("head -c 3", how -> how.stdin(much)).stdout()).isEqualTo("aaa");
        assertThatThrownBy(() -> box.commands().run("echo why >&2; exit 3", how -> how.check())).isInstanceOfSatisfying(
                CommandFailedException.class, problem -> assertThat(problem.result().exitCode()).isEqualTo(3)).hasMessageContaining("why");
    }

    @Test
    void anInterruptEndsTheWaitAndTheCommand() throws InterruptedException {
        for (boolean followed : new boolean[] {false, true}) {
            Thread waiting = Thread.ofPlatform().start(() -> {
                try {
                    box.commands().run("exec sleep 4711", how -> {
                        if (followed) {
                            how.onStdout(text -> {});
                        }
                    });
                } catch (SandglassException interrupted) {
                    return;
                }
            });
            await().until(() -> running("sleep 4711"));
            waiting.interrupt();
            waiting.join();
            await().until(() -> !running("sleep 4711"));
        }
    }

    private boolean running(String command) {
        return box.commands().run("pgrep -fx '" + command + "'").exitCode() == 0;
    }

    @Test
    void filesComeAndGoAsStreamsWithProgress(@TempDir Path here) throws IOException {
        Path local = here.resolve("big");
        Files.write(local, new byte[(int) BIG]);
        AtomicLong up = new AtomicLong();
        assertThat(box.files().write("/root/big", local, how -> how.mode("755").onProgress((done, total) -> up.set(total == BIG ? done : -1))).mode()).isEqualTo("0755");
        assertThat(up).hasValue(BIG);
        AtomicLong down = new AtomicLong();
        try (InputStream in = box.files().stream("/root/big", how -> how.onProgress((done, total) -> down.set(done)))) {
            assertThat(in.skip(BIG / 2)).isPositive();
        }
        assertThat(box.files().readBytes("/root/big", how -> how.onProgress((done, total) -> down.set(done)))).hasSize((int) BIG);
        assertThat(down).hasValue(BIG);
    }

    @Test
    void directoriesComeAndGo(@TempDir Path here) throws IOException {
        Path local = Files.createDirectories(here.resolve("tree/sub"));
        Files.writeString(local.resolve("file"), "deep");
        Files.createSymbolicLink(here.resolve("tree/link"), Path.of("sub/file"));
        box.files().uploadDir(here.resolve("tree"), "/root/tree");
        assertThat(box.commands().run("cat /root/tree/link; ln -s /etc/passwd /root/tree/out").stdout()).isEqualTo("deep");
        box.files().downloadDir("/root/tree", here.resolve("back"));
        assertThat(here.resolve("back/link")).isSymbolicLink().hasContent("deep");
        assertThat(here.resolve("back/out")).doesNotExist();
        assertThatThrownBy(() -> box.files().uploadDir(here.resolve("nope"), "/root/x")).isInstanceOf(SandglassException.class).hasMessageContaining("nope");
    }

    @Test
    void aWatchedDirectoryTellsWhatHappensInIt() {
        List<String> events = new CopyOnWriteArrayList<>();
        box.files().makeDir("/root/watched");
        try (WatchHandle _ = box.files().watchDir("/root/watched", event -> events.add(event.event() + " " + event.path()), how -> {})) {
            box.commands().run("echo > /root/watched/a; rm /root/watched/a", how -> how.check());
            await().untilAsserted(() -> assertThat(events).contains("create a", "remove a"));
        }
        assertThatThrownBy(() -> box.files().watchDir("/nope", event -> {}, how -> {})).isInstanceOfSatisfying(
                SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.PATH_NOT_FOUND));
    }

    @Test
    void aTerminalShowsWhatIsTypedAndIsResized() {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        PtyHandle pty = box.pty().create(how -> how.size(97, 31).onData(shown::writeBytes));
        pty.sendStdin("stty size\n");
        await().until(() -> shown.toString(StandardCharsets.UTF_8).contains("31 97"));
        pty.resize(132, 43);
        pty.sendStdin("stty size; exit 7\n");
        assertThat(pty.waitFor().exitCode()).isEqualTo(7);
        assertThat(shown.toString(StandardCharsets.UTF_8)).contains("43 132");
        assertThat(pty.kill()).isFalse();
    }

    @Test
    void theBestOfARaceIsKept() {
        RaceResult race = box.race("echo ${SANDGLASS_BRANCH}0 > /root/way", how -> how.count(3).score("cat /root/way"));
        assertThat(race.branches()).extracting(RaceBranch::score).containsExactly(10.0, 20.0, 30.0);
        try (Sandbox winner = race.winner().orElseThrow()) {
            assertThat(winner.files().read("/root/way")).isEqualTo("30\n");
        }
        RaceResult lost = box.race((copy, branch, settings) -> {
            throw new IOException("no way " + branch);
        }, how -> how.name("lost"));
        assertThat(lost.winner()).isEmpty();
        assertThat(lost.branches()).extracting(RaceBranch::stderr).containsExactly("no way 1", "no way 2");
        assertThat(Sandbox.list(daemon, how -> how.name("lost"))).isEmpty();
    }

    @Test
    void listsComePageByPage() {
        try (Sandbox _ = Sandbox.create(daemon, options -> options.runtime("container").memoryMb(256).metadata("test", "java"))) {
            Paginator<SandboxInfo> pages = Sandbox.list(daemon, how -> how.metadata("test", "java").limit(1));
            assertThat(pages).hasSize(2);
            assertThat(Stream.of(pages.nextItems(), pages.nextItems(), pages.nextItems()).map(List::size)).containsExactly(1, 1, 0);
            assertThat(pages.hasNext()).isFalse();
        }
    }

    @Test
    void itIsReachedFromOutsideByItsHost() {
        String host = box.getHost(8080);
        assertThat(host).startsWith("8080-" + box.sandboxId().replace("-", "") + ".");
        assertThat(box.routes().createPublic("web", 8080).hostUrl()).contains(host.substring(host.indexOf('.')));
    }
}
