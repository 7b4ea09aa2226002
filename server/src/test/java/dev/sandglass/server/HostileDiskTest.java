package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whatever a sandbox makes of its disk, a snapshot of it takes a bounded time or is refused, and the sandbox goes on. */
@ExtendWith(SharedDaemon.class)
@Timeout(600)
class HostileDiskTest {
    private static final String SHARED_BLOCKS =
            """
            python3 -c '
            import fcntl, os, struct
            seed = open("/workspace/seed", "wb+"); seed.write(os.urandom(16 << 20)); seed.flush(); os.fsync(seed.fileno())
            with open("/workspace/clones", "wb") as clones:
                for i in range(1024): fcntl.ioctl(clones, 0x4020940d, struct.pack("qQQQ", seed.fileno(), 0, 16 << 20, i * (16 << 20)))'""";
    private static final String DEEP =
            """
            python3 -c '
            import os
            os.chdir("/workspace")
            for i in range(4200): os.mkdir("d"); os.chdir("d")'""";

    private final TestDaemon daemon = SharedDaemon.daemon();

    @Test
    void blocksThatAreSharedAThousandTimesAreNotHashed() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").diskMb(1024))) {
            box.output(SHARED_BLOCKS);
            assertThat(refused(ErrorCode.LIMIT_REACHED, () -> daemon.api().capture(box.id(), null)).what()).contains("(expected: <= 4096)");
            assertThat(box.output("rm /workspace/clones; echo on")).isEqualTo("on");
            daemon.api().deleteSnapshot(daemon.api().capture(box.id(), null).id());
        }
    }

    /** 16 GiB that it has not read when the sandbox goes. */
    @Test
    void whoDestroysASandboxDoesNotWaitForItsCheckpoint() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").diskMb(8192))) {
            box.output(SHARED_BLOCKS);
            daemon.api().update(box.id(), Changes.none().checkpoints(1, 1).toWire());
            Eventually.get(this::manifestsInTheMaking, making -> !making.isEmpty());
        }
        assertThat(manifestsInTheMaking()).isEmpty();
        assertThat(daemon.caller().get("/metrics").text()).containsPattern("sandglass_operation_seconds_count\\{kind=\"checkpoint\",result=\"conflict\"\\} 1");
    }

    private List<String> manifestsInTheMaking() {
        try (Stream<Path> files = Files.list(daemon.data().resolve("manifests"))) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".new")).toList();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    @Test
    void directoriesThatAreTooDeepAreSaidToBe() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output(DEEP);
            assertThat(refused(ErrorCode.LIMIT_REACHED, () -> daemon.api().capture(box.id(), null)).what()).contains("directories in one another");
            assertThat(box.output("echo on")).isEqualTo("on");
        }
    }
}
