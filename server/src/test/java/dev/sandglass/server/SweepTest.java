package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What daemons, builds and agents of earlier days left is gone after a start; what a sandbox needs stays. */
@DefaultNetwork
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class SweepTest {
    private static final String OLD_IMAGE = "0123456789ab";
    private static final String USED_IMAGE = "ba9876543210";
    private static final String OLD_AGENT = "0".repeat(64);
    private static final String USED_AGENT = "1".repeat(64);

    private final TestDaemon daemon = SharedDaemon.daemon();

    @Test
    void aStartRemovesWhatNothingUses() throws IOException, InterruptedException, SQLException {
        try (TestSandbox running = daemon.api().create(SandboxRequest.on("container"));
                TestSandbox old = daemon.api().create(SandboxRequest.on("container"))) {
            Command command = running.start(Run.of("sleep", "7321"));
            Path agent = daemon.data().resolve("agents").resolve(agentOf(daemon));
            daemon.kill();
            LedgerFile.update(daemon, "UPDATE sandbox SET agent = '" + USED_AGENT + "', image = '" + USED_IMAGE + "' WHERE id = '" + old.id() + "'");
            List<Path> leftovers = List.of(
                    file(daemon.data().resolve(".token-12345")),
                    file(agent.resolve("agent77.new")),
                    file(daemon.data().resolve("agents/" + OLD_AGENT + "/agent")),
                    file(daemon.data().resolve("agents/" + OLD_AGENT + "/agent78.new")),
                    file(daemon.data().resolve("images/" + OLD_IMAGE + ".json")),
                    file(daemon.data().resolve("images/base.new")),
                    file(daemon.data().resolve("manifests/memory-snap-0123456789ab")),
                    file(daemon.data().resolve("images/build/sources.list")),
                    file(daemon.run().resolve(".s4711/s")));
            List<Path> needed = List.of(
                    agent.resolve("agent"),
                    file(daemon.data().resolve("agents/" + USED_AGENT + "/agent")),
                    file(daemon.data().resolve("images/" + USED_IMAGE + ".json")),
                    daemon.data().resolve("images/base"));
            for (String tree : List.of("image-" + OLD_IMAGE, "image-" + USED_IMAGE, "image-new", "image-aaaaaaaaaaaa")) {
                MountNamespace.inside(daemon.run(), "btrfs subvolume create " + daemon.data().resolve("pool").resolve(tree));
            }

            daemon.start();
            assertThat(leftovers).allSatisfy(path -> assertThat(path).doesNotExist());
            assertThat(needed).allSatisfy(path -> assertThat(path).exists());
            assertThat(trees()).contains("image-" + USED_IMAGE).doesNotContain("image-" + OLD_IMAGE, "image-new", "image-aaaaaaaaaaaa");
            assertThat(running.command(command.id()).state()).isEqualTo("running");
            assertThat(running.output("echo fine")).isEqualTo("fine");
        }
        daemon.stop();
        daemon.start();
        assertThat(daemon.data().resolve("agents/" + USED_AGENT)).as("no sandbox needs it now").doesNotExist();
        assertThat(trees()).doesNotContain("image-" + USED_IMAGE);
    }

    private static String agentOf(TestDaemon daemon) throws IOException {
        try (var agents = Files.list(daemon.data().resolve("agents"))) {
            return agents.findFirst().orElseThrow().getFileName().toString();
        }
    }

    private static Path file(Path path) throws IOException {
        Files.createDirectories(path.getParent());
        return Files.writeString(path, "left");
    }

    private List<String> trees() throws IOException {
        return MountNamespace.inside(daemon.run(), "ls -A " + daemon.data().resolve("pool")).lines().toList();
    }
}
