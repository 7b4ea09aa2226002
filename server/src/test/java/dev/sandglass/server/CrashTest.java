package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The daemon is killed; sandboxes and their commands are not, and the next daemon takes them over. */
@DefaultNetwork
@OnEveryRuntime
class CrashTest {
    /** Each has at least a quarter of a megabyte on its way when nothing is taken; that way holds one megabyte. */
    private static final int UPLOADS = 16;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;
    private final TestSandbox box;

    CrashTest(String runtime) {
        this.runtime = runtime;
        this.box = daemon.api().create(SandboxRequest.on(runtime));
    }

    @AfterEach
    void leaveADaemonAndNoSandbox() throws IOException, InterruptedException {
        if (!daemon.isAlive()) {
            daemon.start();
        }
        if (daemon.api().names().contains(box.name())) {
            box.close();
        }
        assertThat(Leftovers.of(daemon).of(box.id())).isEmpty();
    }

    private void restart() throws IOException, InterruptedException {
        daemon.kill();
        daemon.start();
    }

    @Test
    void sandboxesAndCommandsGoOnWithTheirProcessesInputAndOutput() throws IOException, InterruptedException {
        Command counter = box.start(Run.shell("i=0; while :; do i=$((i+1)); echo $i; echo $i > /tmp/count; sleep 0.02; done"));
        Command cat = box.start(Run.of("cat").withInput());
        Command terminal = box.start(Run.of("cat").pty(80, 24));
        Command done = box.start(Run.shell("echo kept; exit 3"));
        box.await(done);
        box.input(cat, "before\n", false);
        Eventually.get(() -> Following.text(box.kept(cat), "stdout"), "before\n"::equals);
        restart();
        assertThat(box.now().state()).isEqualTo("running");
        assertThat(box.now().pid()).isEqualTo(box.info().pid());
        assertThat(box.commands()).extracting(Command::id).contains(counter.id(), cat.id(), terminal.id(), done.id());
        assertThat(box.command(counter.id()).pid()).isEqualTo(counter.pid());
        assertThat(box.command(counter.id()).argv()).isEqualTo(counter.argv());
        assertThat(box.command(done.id()).exit()).extracting("code").isEqualTo(3);
        assertThat(Following.text(box.kept(done), "stdout")).isEqualTo("kept\n");
        box.input(cat, "after\n", true);
        assertThat(box.await(cat).exit()).extracting("code").isEqualTo(0);
        assertThat(Following.text(box.kept(cat), "stdout")).isEqualTo("before\nafter\n");
        try (Attached attached = box.attach(terminal)) {
            attached.type("typed\n");
            Eventually.get(attached::text, text -> text.contains("typed\r\ntyped"));
        }
        int seen = Integer.parseInt(Eventually.get(() -> box.output("cat /tmp/count"), text -> !text.isEmpty())); // it may be written just then
        Eventually.get(() -> Integer.parseInt("0" + box.output("cat /tmp/count")), now -> now > seen);
        assertThat(Following.text(box.kept(counter), "stdout")).startsWith("1\n2\n3\n").contains("\n" + seen + "\n");
        assertThat(box.output("echo works")).isEqualTo("works");
    }

    @Test
    void aReaderThatWasFollowingGoesOnWhereItWas() throws IOException, InterruptedException {
        Command cat = box.start(Run.of("cat").withInput());
        try (Following reader = box.follow(cat, 0)) {
            box.input(cat, "one\n", false);
            assertThat(Following.text(List.of(reader.next().orElseThrow()), "stdout")).isEqualTo("one\n");
            restart();
        }
        box.input(cat, "two\n", true);
        try (Following reader = box.follow(cat, 4)) {
            assertThat(Following.text(reader.rest(), "stdout")).isEqualTo("two\n");
        }
    }

    /** The agent takes nothing while more is sent than the way to it holds: the daemon dies in the middle of a frame. */
    @Test
    void theNextDaemonWorksWithASandboxToWhichUploadsBrokeOff() throws IOException, InterruptedException {
        CountDownLatch goOn = new CountDownLatch(1);
        List<Thread> uploads = IntStream.range(0, UPLOADS).mapToObj(i -> Thread.ofVirtual().start(() -> breakOff("/var/upload-" + i, goOn))).toList();
        Eventually.get(() -> box.output("ls -A /var | grep upload- | wc -l"), Integer.toString(UPLOADS)::equals);
        List<Long> inside = Processes.of(daemon, box.id());
        Processes.signal("STOP", inside);
        goOn.countDown();
        Eventually.get(() -> Processes.waitIn(daemon.pid(), "pipe_write"), waits -> waits);
        daemon.kill();
        Processes.signal("CONT", inside);
        for (Thread upload : uploads) {
            upload.join();
        }
        daemon.start();
        assertThat(box.output("echo works")).isEqualTo("works");
        String text = "0123456789abcdef".repeat(100_000);
        box.files().write("/var/after", text);
        assertThat(box.files().read("/var/after")).isEqualTo(text);
        Eventually.get(() -> box.output("ls -A /var | grep upload- | wc -l"), "0"::equals);
    }

    private void breakOff(String path, CountDownLatch goOn) {
        try {
            box.files().write(path, "", BodyPublishers.ofInputStream(() -> endless(goOn)));
        } catch (UncheckedIOException | SandglassException expected) {
            return; // its daemon was killed
        }
        throw new AssertionError(path + " has no end");
    }

    private static InputStream endless(CountDownLatch goOn) {
        return new InputStream() {
            private int reads;

            @Override
            public int read() {
                throw new UnsupportedOperationException("Bytes come in pieces.");
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                try {
                    if (reads > 4) { // the first ones begin the upload
                        goOn.await();
                    }
                } catch (InterruptedException stopped) {
                    throw new InterruptedIOException("stopped");
                }
                reads++;
                return length;
            }
        };
    }

    @Test
    void aSandboxThatDiedMeanwhileHasFailed() throws IOException, InterruptedException {
        daemon.kill();
        Processes.kill(box.info().pid());
        daemon.start();
        assertThat(box.now().state()).isEqualTo("failed");
        assertThat(box.now().reason()).isEqualTo("exited");
        refused(ErrorCode.SANDBOX_NOT_RUNNING, () -> box.output("true"));
    }

    @Test
    void theEndOfASandboxWhoseAgentDidNotAnswerIsNoticed() throws IOException, InterruptedException {
        Assumptions.assumeTrue(runtime.equals("container"), "elsewhere the agent is no process of the host");
        long pid = Objects.requireNonNull(box.now().pid());
        daemon.kill();
        MountNamespace.output(new ProcessBuilder("kill", "-STOP", Long.toString(pid)));
        daemon.start();
        assertThat(box.now().state()).isEqualTo("running");
        Processes.kill(pid);
        Eventually.get(() -> box.now().state(), "failed"::equals);
    }

    @Test
    void anotherProcessWithTheSamePidIsNotTakenForTheSandbox() throws IOException, InterruptedException, SQLException {
        Process stranger = new ProcessBuilder("sleep", "600").start();
        try {
            daemon.kill();
            LedgerFile.update(daemon, "UPDATE sandbox SET pid = " + stranger.pid() + " WHERE id = '" + box.id() + "'");
            daemon.start();
            assertThat(box.now().state()).isEqualTo("failed");
            box.close();
            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void aSandboxFromBeforeARebootIsStopped() throws IOException, InterruptedException, SQLException {
        daemon.kill();
        LedgerFile.update(daemon, "UPDATE sandbox SET boot_id = 'another' WHERE id = '" + box.id() + "'");
        daemon.start();
        assertThat(box.now().state()).isEqualTo("stopped");
        assertThat(box.now().reason()).isEqualTo("reboot");
    }

    @Test
    void whatTheLedgerDoesNotKnowIsSweptAway() throws IOException, InterruptedException, SQLException {
        daemon.kill();
        LedgerFile.update(daemon, "DELETE FROM sandbox WHERE id = '" + box.id() + "'");
        daemon.start();
        assertThat(Leftovers.of(daemon).of(box.id())).as("of a sandbox on " + runtime).isEmpty();
        refused(ErrorCode.SANDBOX_NOT_FOUND, box::close);
    }
}
