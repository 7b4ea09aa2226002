package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.sandglass.linux.Trees;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.Diff;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.History;
import dev.sandglass.wire.HistoryStep;
import dev.sandglass.wire.ProcessChange;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A snapshot goes out of one daemon as a file and comes up in another, with all that it had; a file that is not whole leaves nothing. */
@ExtendWith(SharedDaemon.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(600)
class ExportTest {
    private static final String FILES =
            """
            set -e
            mkdir -p /workspace/deep; echo one > /workspace/deep/file; ln /workspace/deep/file /workspace/hard; ln -s /etc/../deep/file /workspace/link
            chown user:user /workspace/deep/file; chmod 4711 /workspace/deep/file; touch "$(printf '/workspace/odd\\nname\\377')"
            truncate -s 300M /workspace/hole; printf end >> /workspace/hole; mkfifo /workspace/fifo
            python3 -c "import os; os.setxattr('/workspace/deep/file', 'user.note', b'\\0\\1')"
            rm -r /usr/share/doc; mkdir /usr/share/doc; echo new > /usr/share/doc/only; rm /etc/motd
            touch -d 2001-02-03T04:05:06.7 /workspace/deep""";

    private static final int MANY_FILES = Soak.on() ? 1_000_000 : 20_000;
    private static final String MANY =
            """
            import os, sys
            os.chdir('/workspace')
            for n in range(int(sys.argv[1])):
                directory = '%d/%d' % (n // 100000, n // 1000)
                if n % 1000 == 0:
                    os.makedirs(directory)
                with open('%s/%d' % (directory, n), 'w') as file:
                    file.write(str(n))
            """;

    private static TestDaemon other;

    private final TestDaemon daemon = SharedDaemon.daemon();

    @BeforeAll
    static void startAnother() throws IOException, InterruptedException {
        Path data = Files.createTempDirectory(Path.of("..", ".test-data").toRealPath(), "other");
        other = new TestDaemon(data, Path.of("/run/sandglass-other-" + ProcessHandle.current().pid()));
        other.start();
    }

    @AfterAll
    static void endTheOther() throws IOException, InterruptedException {
        other.stop();
        other.close();
        Awaitility.await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(() -> {
            Trees.remove(other.data());
            return true;
        });
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        other.api().list().forEach(box -> other.api().destroy(box.id()));
        other.api().snapshots().forEach(snapshot -> other.api().deleteSnapshot(snapshot.id()));
        daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
        assertThat(remains()).isEmpty();
    }

    @Test
    @Order(1) // the image is not there before
    void aDiskComesThroughWithAllThatItHad() throws IOException {
        Snapshot first;
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output(FILES);
            first = daemon.api().capture(box.id(), null);
        }
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").from(first.id()))) {
            box.output("echo two > /workspace/two; rm /workspace/link /bin/ed 2>/dev/null || true");
            Snapshot second = daemon.api().capture(box.id(), "golden");
            Path file = export(second.id(), false);
            refused(ErrorCode.IMAGE_UNAVAILABLE, () -> read(export(second.id(), true), ""));
            Snapshot read = read(file, "");
            assertThat(read.name()).isEqualTo("golden");
            assertThat(read.kind()).isEqualTo("disk");
            assertThat(read.sandboxName()).isEqualTo(box.name());
            assertThat(read.runtime()).isEqualTo("container");
            assertThat(read.image()).isEqualTo(second.image());
            assertThat(read.createdAt()).isEqualTo(second.createdAt().truncatedTo(ChronoUnit.MILLIS));
            assertThat(read.labels()).isEqualTo(second.labels());
            assertThat(read.parent()).isNull();
            other.api().verify(read.id());
            try (TestSandbox copy = other.api().create(SandboxRequest.on("container").from("golden"))) {
                assertThat(tree(copy)).isEqualTo(tree(box));
                assertThat(copy.output("cat /workspace/two /workspace/hard; stat -c %b /workspace/hole; ls /usr/share/doc; ls /etc/motd 2>&1 | wc -l"))
                        .isEqualTo(box.output("cat /workspace/two /workspace/hard; stat -c %b /workspace/hole; ls /usr/share/doc; ls /etc/motd 2>&1 | wc -l"));
            }
            refused(ErrorCode.NAME_TAKEN, () -> read(file, ""));
            assertThat(read(export(second.id(), true), "?name=thin").name()).isEqualTo("thin");
            Path again = Files.createTempFile(other.data(), "again", ".sgs");
            try (InputStream exported = other.caller().open("/v1/snapshots/thin/export?thin=true")) {
                Files.write(again, exported.readAllBytes());
            }
            daemon.api().deleteSnapshot(second.id());
            assertThat(daemon.api().verify(post(daemon, again, "").id()).name()).isEqualTo("thin");
        }
    }

    @Test
    @Timeout(7200)
    void manyFilesComeThroughSnapshotExportImportAndFork() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").diskMb(8192))) {
            assertThat(finished(box, Run.of("python3", "-c", MANY, String.valueOf(MANY_FILES))).exit()).extracting("code").isEqualTo(0);
            String hash = hash(box);
            assertThat(hash).startsWith(MANY_FILES + " ");
            Snapshot snapshot = daemon.api().capture(box.id(), "many");
            Path file = export(snapshot.id(), false);
            Forked forked = daemon.caller().post(box.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, true)).as(Forked.class);
            try (TestSandbox copy = new TestSandbox(daemon.caller(), forked.sandboxes().getFirst())) {
                assertThat(hash(copy)).as("of the fork").isEqualTo(hash);
            }
            other.api().verify(read(file, "").id());
            Files.delete(file);
            try (TestSandbox copy = other.api().create(SandboxRequest.on("container").diskMb(8192).from("many"))) {
                assertThat(hash(copy)).as("of what was exported and imported").isEqualTo(hash);
            }
        }
    }

    private static Command finished(TestSandbox box, Run run) {
        Command command = box.start(run);
        while (command.state().equals("running")) {
            command = box.await(command);
        }
        return command;
    }

    /** How many files there are, and the digest of all that is known of them and in them. */
    private static String hash(TestSandbox box) {
        Command hashing = finished(box, Run.shell("cd /workspace && find . -type f | wc -l && (find . -mindepth 1 -printf '%p %y %m %u %g %n %s %l %T@\\n' | sort; find . -type f | sort | xargs cat) | sha256sum"));
        return box.said(hashing).replace('\n', ' ');
    }

    @Test
    void processesComeThroughAndGoOn() throws IOException {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256))) {
            Command counting = source.start(Run.shell("n=0; while :; do n=$((n+1)); echo $n > /workspace/n; sleep 0.05; done"));
            Eventually.get(() -> number(source), n -> n > 5);
            Snapshot snapshot = daemon.api().captureAll(source.id());
            long then = number(source);
            Snapshot read = read(export(snapshot.id(), false), "?name=full");
            assertThat(read.kind()).isEqualTo("full");
            assertThat(read.memoryBytes()).isEqualTo(snapshot.memoryBytes());
            try (TestSandbox copy = other.api().create(SandboxRequest.on("gvisor").from("full"))) {
                assertThat(copy.command(counting.id()).state()).isEqualTo("running");
                Eventually.get(() -> number(copy), n -> n > then + 5);
                Diff diff = other.caller().get("/v1/diff?from=full&to=" + copy.id()).as(Diff.class);
                assertThat(diff.from().processes()).as("which ones is known there too").isPositive();
                assertThat(diff.processes()).extracting(ProcessChange::command).noneMatch(command -> command.startsWith("sh -c n=0"));
            }
        }
    }

    /** What CRIU brings back it brings back as root, with whatever rights the file says. */
    @Test
    void processesOfAContainerStayWhereTheyWereCaptured() throws IOException {
        CapturedMemory.assumeOn("container");
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("container").memoryMb(256))) {
            source.output("echo kept > /workspace/file");
            Snapshot snapshot = daemon.api().captureAll(source.id());
            assertThat(snapshot.kind()).isEqualTo("full");
            Snapshot read = read(export(snapshot.id(), false), "?name=disk");
            assertThat(read.kind()).isEqualTo("disk");
            assertThat(other.api().verify(read.id()).name()).isEqualTo("disk");
            try (TestSandbox copy = other.api().create(SandboxRequest.on("container").from("disk"))) {
                assertThat(copy.output("cat /workspace/file")).isEqualTo("kept");
            }
        }
    }

    @Test
    void whatIsBeingExportedStaysUntilItIsOut() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("head -c 30000000 /dev/urandom > /workspace/data");
            Snapshot snapshot = daemon.api().capture(box.id(), "leaving");
            Path file = Files.createTempFile(other.data(), "leaving", ".sgs");
            try (InputStream exported = daemon.caller().open("/v1/snapshots/leaving/export?thin=false")) {
                byte[] start = exported.readNBytes(1000);
                daemon.api().deleteSnapshot(snapshot.id());
                Files.write(file, start);
                Files.write(file, exported.readAllBytes(), StandardOpenOption.APPEND);
            }
            assertThat(read(file, "").name()).isEqualTo("leaving");
        }
    }

    @Test
    void whatIsNotWholeIsRefusedAndNothingIsLeft() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("head -c 3000000 /dev/urandom > /workspace/data; seq 10000 > /workspace/numbers");
            Snapshot snapshot = daemon.api().capture(box.id(), null);
            read(export(snapshot.id(), false), "?name=base");
            byte[] whole = Files.readAllBytes(export(snapshot.id(), true));
            byte[] flipped = whole.clone();
            flipped[whole.length / 2] = (byte) ~flipped[whole.length / 2];
            byte[] longer = Arrays.copyOf(whole, whole.length + 1);
            for (byte[] bad : List.of(new byte[0], Bodies.random(7, 100_000), Arrays.copyOf(whole, 1000), Arrays.copyOf(whole, whole.length - 1), flipped, longer)) {
                Path file = Files.write(Files.createTempFile(other.data(), "bad", ".sgs"), bad);
                SandglassException refusal = catchThrowableOfType(SandglassException.class, () -> read(file, "?name=bad"));
                assertThat(refusal.code()).as(refusal.what()).isIn(ErrorCode.ARCHIVE_REFUSED, ErrorCode.SNAPSHOT_DAMAGED);
                Files.delete(file);
            }
            assertThat(other.api().snapshots()).extracting(Snapshot::name).containsExactly("base");
            other.api().deleteSnapshot("base");
            assertThat(remains()).isEmpty();
        }
    }

    @Test
    void anImageGoesWithTheLastThatNeedsIt() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("seq 10000 > /workspace/numbers");
            Snapshot snapshot = daemon.api().capture(box.id(), null);
            Path file = export(snapshot.id(), false);
            byte[] whole = Files.readAllBytes(file);
            Path cut = Files.write(Files.createTempFile(other.data(), "cut", ".sgs"), Arrays.copyOf(whole, whole.length - 1));
            refused(ErrorCode.ARCHIVE_REFUSED, () -> read(cut, "?name=cut"));
            assertThat(images()).as("of a file that was not whole").isEmpty();
            read(file, "?name=first");
            refused(ErrorCode.ARCHIVE_REFUSED, () -> read(cut, "?name=cut"));
            assertThat(images()).as("another snapshot stands on it").hasSize(2);
            try (TestSandbox copy = other.api().create(SandboxRequest.on("container").from("first"))) {
                other.api().deleteSnapshot("first");
                assertThat(images()).as("a sandbox stands on it").hasSize(2);
                assertThat(copy.output("tail -1 /workspace/numbers")).isEqualTo("10000");
            }
            assertThat(images()).as("nothing stands on it").isEmpty();
            assertThat(post(daemon, file, "?name=here").image()).isEqualTo(snapshot.image());
            daemon.api().deleteSnapshot("here");
            daemon.api().deleteSnapshot(snapshot.id());
        }
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            assertThat(box.output("echo fine")).as("the base image stays").isEqualTo("fine");
        }
    }

    /** Those that the other daemon has: the manifest and the tree of each. */
    private static List<String> images() throws IOException {
        String data = other.data().toString();
        return MountNamespace.inside(other.run(), "find " + data + "/images " + data + "/pool -maxdepth 1 -name 'image-*' -o -maxdepth 1 -name '*.json'").lines().toList();
    }

    @Test
    void aFileThatIsPutIntoTheDirectoryShowsUp() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("echo here > /workspace/file; head -c 2000000 /dev/urandom > /workspace/data");
            Snapshot snapshot = daemon.api().capture(box.id(), "shelf");
            SnapshotFile written = daemon.caller().post("/v1/snapshots/shelf/archive").as(SnapshotFile.class);
            Path file = Path.of(written.path());
            assertThat(file).isEqualTo(daemon.data().resolve("snapshots/shelf.sgs")).hasSize(written.bytes());
            byte[] whole = Files.readAllBytes(file);
            Path target = other.data().resolve("snapshots/copied.sgs");
            Files.write(target, Arrays.copyOf(whole, whole.length / 2));
            Files.write(other.data().resolve("snapshots/other.txt"), whole);
            Files.write(other.data().resolve("snapshots/.hidden.sgs"), whole);
            Eventually.get(() -> log(other).contains("copied.sgs is not read until it changes"), seen -> seen);
            Files.write(target, Arrays.copyOfRange(whole, whole.length / 2, whole.length), StandardOpenOption.APPEND);
            Eventually.get(() -> names(other), List.of("copied")::equals);
            try (TestSandbox copy = other.api().create(SandboxRequest.on("container").from("copied"))) {
                assertThat(copy.output("cat /workspace/file")).isEqualTo("here");
            }
            other.api().deleteSnapshot("copied");
            other.stop();
            other.start();
            Files.write(other.data().resolve("snapshots/second.sgs"), whole);
            Eventually.get(() -> names(other), List.of("second")::equals);
            daemon.api().deleteSnapshot(snapshot.id());
            daemon.stop();
            daemon.start();
            assertThat(names(daemon)).as("what it wrote itself does not come back").isEmpty();
            Files.delete(file);
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }

    @Test
    void aPlainArchiveIsADiskOnTheImage() throws IOException {
        Path place = Files.createTempDirectory(daemon.data(), "plain");
        Path upper = Files.createDirectory(place.resolve("upper"));
        MountNamespace.output(new ProcessBuilder("sh", "-ec", """
                mkdir -p etc workspace usr/share/doc; mknod etc/motd c 0 0; echo of-tar > workspace/file; chown 1000:1000 workspace/file; ln workspace/file workspace/hard
                python3 -c 'import os; os.setxattr("usr/share/doc", "trusted.overlay.opaque", b"y"); os.setxattr("workspace/file", "user.note", b"1")'
                touch "$(printf 'workspace/odd\\nname\\377')"; tar --format=pax --xattrs --xattrs-include='*' --numeric-owner -czf ../plain.tar.gz .
                gzip -dc ../plain.tar.gz > ../bare.tar; echo junk > ../junk
                mkdir ../bad; cd ../bad; mknod null c 1 3; tar -czf ../bad.tar.gz .
                """).directory(upper.toFile()));
        Path plain = upper.resolveSibling("plain.tar.gz");
        Snapshot read = post(daemon, plain, "?name=plain");
        assertThat(read.kind()).isEqualTo("disk");
        assertThat(read.parent()).isNull();
        assertThat(read.sandboxId()).as("it was taken of no sandbox").isNull();
        assertThat(read.sandboxName()).isEqualTo("imported");
        daemon.api().verify("plain");
        assertThat(post(daemon, upper.resolveSibling("bare.tar"), "?name=bare").totalBytes()).isEqualTo(read.totalBytes());
        daemon.api().verify("bare");
        daemon.api().deleteSnapshot("bare");
        assertThat(refused(ErrorCode.ARCHIVE_REFUSED, () -> post(daemon, upper.resolveSibling("junk"), "?name=junk")).what()).contains("snapshot export", "tar archive").doesNotContain("zstd");
        for (String runtime : List.of("container", "gvisor")) {
            try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).from("plain"))) {
                History history = daemon.caller().get("/v1/sandboxes/" + box.id() + "/history").as(History.class);
                assertThat(history.steps()).extracting(HistoryStep::what, HistoryStep::sandboxId).containsExactly(tuple("taken", null), tuple("began", box.id()));
                assertThat(box.output("cat /workspace/hard; stat -c '%U %h' /workspace/file; ls -A /usr/share/doc | wc -l; ls /etc/motd 2>&1 | grep -c 'No such'; find /workspace -mindepth 1 -printf x | wc -c"))
                        .isEqualTo("of-tar\nuser 2\n0\n1\n3");
            }
        }
        Path exported = upper.resolveSibling("again.sgs");
        try (InputStream file = daemon.caller().open("/v1/snapshots/plain/export?thin=false")) {
            Files.copy(file, exported, StandardCopyOption.REPLACE_EXISTING);
        }
        daemon.api().deleteSnapshot("plain");
        assertThat(post(daemon, exported, "").name()).isEqualTo("plain");
        refused(ErrorCode.ARCHIVE_REFUSED, () -> post(daemon, upper.resolveSibling("bad.tar.gz"), "?name=bad"));
        Files.copy(upper.resolveSibling("bad.tar.gz"), daemon.data().resolve("snapshots/bad.tar.gz"));
        Files.copy(plain, daemon.data().resolve("snapshots/put.tar.gz"));
        Files.copy(plain, daemon.data().resolve("snapshots/with space.tar.gz"));
        Eventually.get(() -> names(daemon), List.of("plain", "put")::equals);
        Eventually.get(() -> log(daemon).contains("with space.tar.gz (expected: letters"), seen -> seen);
        Files.delete(daemon.data().resolve("snapshots/with space.tar.gz"));
        Eventually.get(() -> log(daemon).contains("bad.tar.gz is not read until it changes"), seen -> seen);
        Files.delete(daemon.data().resolve("snapshots/bad.tar.gz"));
        Files.delete(daemon.data().resolve("snapshots/put.tar.gz"));
        Trees.remove(place);
    }

    private static List<String> names(TestDaemon of) {
        return of.api().snapshots().stream().filter(snapshot -> snapshot.state().equals("ready")).map(snapshot -> String.valueOf(snapshot.name())).toList();
    }

    private static String log(TestDaemon of) {
        try {
            return Files.readString(of.log());
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private Path export(String snapshot, boolean thin) throws IOException {
        Path file = Files.createTempFile(other.data(), "export", ".sgs");
        try (InputStream exported = daemon.caller().open("/v1/snapshots/" + snapshot + "/export?thin=" + thin)) {
            Files.copy(exported, file, StandardCopyOption.REPLACE_EXISTING);
        }
        return file;
    }

    private Snapshot read(Path file, String query) throws IOException {
        return post(other, file, query);
    }

    private static Snapshot post(TestDaemon into, Path file, String query) throws IOException {
        Caller caller = into.caller();
        return caller.good(caller.send("POST", "/v1/snapshots/import" + query, "application/octet-stream", BodyPublishers.ofFile(file))).as(Snapshot.class);
    }

    /** What the other daemon has of snapshots on its disk. */
    private static String remains() throws IOException {
        String data = other.data().toString();
        return MountNamespace.inside(other.run(), "find " + data + "/pool " + data + "/manifests " + data + "/archive-work -maxdepth 1 -name '*snap-*' -o -name '.layer*' -o -name '*.manifest*'");
    }

    /** Every file, with all that is known of it. */
    private static String tree(TestSandbox box) {
        return box.output("cd /workspace && (find . ! -type d -printf '%p %y %m %u %g %n %s %l %T@\\n'; find . -mindepth 1 -type d -printf '%p %m %u %g %T@\\n') | sort;"
                + " python3 -c \"import os; print(os.getxattr('deep/file', 'user.note'))\"; md5sum hard hole");
    }

    private static long number(TestSandbox box) {
        String text = box.output("cat /workspace/n 2>/dev/null || echo 0");
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }
}
