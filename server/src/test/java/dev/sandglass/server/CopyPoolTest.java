package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.linux.Trees;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the filesystem can only copy, snapshots have what they have elsewhere. */
@ExtendWith(SharedDaemon.class)
@Timeout(900)
class CopyPoolTest {
    private static final String LOOK =
            "cd /workspace && find . -mindepth 1 -printf '%p %y %m %u %g %n %s %l\\n' | sort; cat deep/file hard; ls /usr/share/doc; stat -c %Y deep/file";

    private static TestDaemon copying;

    /** It gets the image with a snapshot of the shared daemon's. */
    @BeforeAll
    static void startWithAnImage() throws IOException, InterruptedException {
        Path data = Files.createTempDirectory(Path.of("..", ".test-data").toRealPath(), "copying");
        copying = new TestDaemon(data, Path.of("/run/sandglass-copying-" + ProcessHandle.current().pid())).with("SANDGLASS_POOL", "copy");
        copying.start();
        TestDaemon daemon = SharedDaemon.daemon();
        Path file = data.resolve("plain.sgs");
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            Snapshot plain = daemon.api().capture(box.id(), "plain");
            try (InputStream exported = daemon.caller().open("/v1/snapshots/plain/export?thin=false")) {
                Files.copy(exported, file);
            }
            daemon.api().deleteSnapshot(plain.id());
        }
        Caller caller = copying.caller();
        caller.good(caller.send("POST", "/v1/snapshots/import", "application/octet-stream", BodyPublishers.ofFile(file)));
        Files.delete(file);
    }

    @AfterAll
    static void end() throws IOException, InterruptedException {
        copying.api().list().forEach(box -> copying.api().destroy(box.id()));
        copying.api().snapshots().forEach(snapshot -> copying.api().deleteSnapshot(snapshot.id()));
        copying.stop();
        copying.close();
        Trees.remove(copying.data());
    }

    @AfterEach
    void onlyTheFirstIsLeft() throws IOException {
        assertThat(copying.api().allSnapshots()).extracting(Snapshot::name).containsExactly("plain");
        assertThat(Leftovers.of(copying).strays()).isEmpty();
        String plain = copying.api().allSnapshots().getFirst().id();
        assertThat(MountNamespace.inside(copying.run(), "ls -A " + copying.data().resolve("pool") + " " + copying.data().resolve("manifests") + " | grep snap- | grep -v " + plain + " || true"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void copiesBeginWithWhatWasThereAndGoTheirOwnWays(String runtime) {
        assertThat(copying.api().status().pool().kind()).isEqualTo("copy");
        try (TestSandbox box = from("plain", runtime)) {
            box.output("""
                    set -e
                    mkdir -p /workspace/deep; echo one > /workspace/deep/file; chown user:user /workspace/deep/file; chmod 4711 /workspace/deep/file
                    ln /workspace/deep/file /workspace/hard; ln -s deep/file /workspace/link; touch "$(printf '/workspace/odd\\nname\\377')"
                    truncate -s 1M /workspace/hole; touch -d 2001-02-03T04:05:06 /workspace/deep/file
                    rm -r /usr/share/doc; mkdir /usr/share/doc; echo new > /usr/share/doc/only""");
            String seen = box.output(LOOK);
            Snapshot first = copying.api().capture(box.id(), "first");
            box.output("echo two > /workspace/deep/file; rm /workspace/link");
            Snapshot second = copying.api().capture(box.id(), null);
            assertThat(second.parent()).isEqualTo(first.id());
            try (TestSandbox copy = from("first", runtime)) {
                assertThat(copy.output(LOOK)).isEqualTo(seen);
                copy.output("echo mine > /workspace/deep/file");
                assertThat(box.output("cat /workspace/deep/file")).isEqualTo("two");
                Forked forked = copying.caller().post(copy.path() + "/fork", new ForkSandbox(2, null, null, null, null, null, null, true)).as(Forked.class);
                copying.api().deleteSnapshot(first.id());
                for (var each : forked.sandboxes()) {
                    try (TestSandbox fork = new TestSandbox(copying.caller(), each)) {
                        assertThat(fork.output("cat /workspace/deep/file; ls /usr/share/doc")).isEqualTo("mine\nonly");
                    }
                }
            }
            box.rewind(second.id());
            assertThat(box.output("cat /workspace/deep/file; ls /workspace | grep -c link || true")).isEqualTo("two\n0");
            copying.api().verify(second.id());
            box.undo();
            copying.api().deleteSnapshot(second.id());
        }
    }

    @Test
    void aDamagedOneIsRefused() throws IOException {
        try (TestSandbox box = from("plain", "container")) {
            box.output("echo 'what is written' > /workspace/file");
            Snapshot snapshot = copying.api().capture(box.id(), null);
            String layer = MountNamespace.inside(copying.run(), "ls -d " + copying.data().resolve("pool") + "/*" + snapshot.id() + "*").strip();
            MountNamespace.inside(copying.run(), "printf W | dd of=" + layer + "/upper/workspace/file bs=1 conv=notrunc status=none");
            assertThat(refused(ErrorCode.SNAPSHOT_DAMAGED, () -> copying.api().verify(snapshot.id())).what()).contains("workspace/file");
            refused(ErrorCode.SNAPSHOT_DAMAGED, () -> from(snapshot.id(), "container"));
            copying.api().deleteSnapshot(snapshot.id());
        }
    }

    @Test
    void processesGoOn() {
        try (TestSandbox box = copying.api().create(SandboxRequest.on("gvisor").memoryMb(256).from("plain").diskOnly())) {
            Command reading = box.start(Run.shell("word=remembered; read -r line; echo $word $line").withInput());
            Snapshot full = copying.api().captureAll(box.id());
            assertThat(full.kind()).isEqualTo("full");
            try (TestSandbox copy = copying.api().create(SandboxRequest.on("gvisor").from(full.id()))) {
                box.pause(false);
                box.resume(false);
                for (TestSandbox each : List.of(box, copy)) {
                    each.input(each.command(reading.id()), "again\n", true);
                    Eventually.get(() -> each.said(reading), text -> text.contains("remembered again"));
                }
            }
            copying.api().deleteSnapshot(full.id());
        }
    }

    private static TestSandbox from(String snapshot, String runtime) {
        return copying.api().create(SandboxRequest.on(runtime).from(snapshot));
    }
}
