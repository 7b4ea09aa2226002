package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Entry;
import dev.sandglass.wire.ErrorCode;
import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files go into volumes and out of them without a sandbox of the user's, and nothing in a volume leads to files of the host. */
@OnEveryRuntime
@Timeout(300)
class VolumeFilesTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestVolumes volumes = new TestVolumes(daemon.caller());
    private final String runtime;

    VolumeFilesTest(String runtime) {
        this.runtime = runtime;
    }

    @AfterEach
    void removeAll() {
        volumes.removeAll();
    }

    private Entry write(String volume, String path, String text) {
        String place = "/v1/volumes/" + volume + "/files?path=" + Caller.encode(path);
        return daemon.caller().good(daemon.caller().send("PUT", place, "application/octet-stream", BodyPublishers.ofString(text))).as(Entry.class);
    }

    private String read(String volume, String path) {
        return daemon.caller().get("/v1/volumes/" + volume + "/files?path=" + Caller.encode(path)).text();
    }

    @Test
    void filesGoInAndOut() {
        volumes.create("box", 64);
        assertThat(write("box", "/deep/er/file", "content").size()).isEqualTo(7);
        assertThat(read("box", "deep/er/file")).isEqualTo("content");
        refused(ErrorCode.PATH_NOT_FOUND, () -> read("box", "/nothing"));
        refused(ErrorCode.INVALID_REQUEST, () -> read("box", "/deep/../../etc/passwd"));
        byte[] tar = daemon.caller().get("/v1/volumes/box/archive?content=true&path=/").bytes();
        volumes.create("other", 64);
        daemon.caller().good(daemon.caller().send("PUT", "/v1/volumes/other/archive?path=/copy", "application/x-tar", BodyPublishers.ofByteArray(tar)));
        assertThat(read("other", "/copy/deep/er/file")).isEqualTo("content");
        volumes.delete("other");
        assertThat(daemon.api().names()).as("who read is gone").isEmpty();
    }

    @Test
    void whoHasTheVolumeForItselfWritesAndEverybodyReads() {
        volumes.create("held", 64);
        try (TestSandbox holder = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).volume("held", "/held", null))) {
            holder.output("ln -s /etc/passwd /held/link; ln -s ../../../../etc /held/up; echo mine > /held/file; echo inside > /etc/inside");
            assertThat(read("held", "/file")).isEqualTo("mine\n");
            refused(ErrorCode.PATH_NOT_FOUND, () -> read("held", "/up/inside"));
            write("held", "/new", "from outside");
            assertThat(holder.output("cat /held/new")).isEqualTo("from outside");
            holder.stop();
            assertThat(refused(ErrorCode.CONFLICT, () -> write("held", "/new", "again")).what()).contains(holder.name());
            assertThat(read("held", "/new")).isEqualTo("from outside");
        }
        assertThat(write("held", "/new", "at last").size()).isEqualTo(7);
    }

    @Test
    void aFullVolumeIsSaid() {
        volumes.create("tiny", 2);
        refused(ErrorCode.DISK_FULL, () -> write("tiny", "/big", "x".repeat(8 << 20)));
        assertThat(write("tiny", "/small", "fits").size()).isEqualTo(4);
    }
}
