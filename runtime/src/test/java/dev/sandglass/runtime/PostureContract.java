package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.runtime.oci.HostFacts;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a process in a sandbox is and may do, held against a golden file per runtime and profile. When a change is meant, run
 * with {@code -Dposture.update=true} and read the difference as carefully as the change.
 */
abstract class PostureContract extends RuntimeFixture {
    private static final Path GOLDEN = Path.of("src/test/resources/dev/sandglass/runtime");

    PostureContract(Engine engine) throws IOException {
        super(engine);
    }

    @ParameterizedTest
    @EnumSource(Security.class)
    void equalsTheGoldenFile(Security security) throws Exception {
        String posture = posture(workshop.start(workshop.machine(security, Workshop.LIMITS)));
        String name = "posture-" + runtime.name() + "-" + security.text() + ".txt";
        if (Boolean.getBoolean("posture.update")) {
            Files.writeString(GOLDEN.resolve(name), posture);
        }
        assertThat(posture).isEqualTo(resource(name));
    }

    static String posture(Guest guest) throws IOException, InterruptedException {
        String script = resource("posture.py");
        String masked = String.join(",", HostFacts.read().maskedPaths());
        StringBuilder posture = new StringBuilder();
        for (String user : List.of("root", "user")) {
            Guest.Result result = guest.run(user, "python3", "-c", script, masked);
            posture.append("== ").append(user).append('\n').append(result.output());
        }
        return posture.toString();
    }

    @Test
    void everyNamespaceIsTheSandboxsOwn() throws Exception {
        Guest guest = workshop.start(workshop.machine());
        for (String kind : Set.of("pid", "mnt", "net", "ipc", "uts", "user", "cgroup")) {
            if (engine.isGvisor() && (kind.equals("cgroup") || kind.equals("pid"))) {
                continue; // its own kernel has these inside; its systrap platform needs the host's pids
            }
            Path own = Files.readSymbolicLink(Path.of("/proc/self/ns", kind));
            Path sandbox = Files.readSymbolicLink(Path.of("/proc", Long.toString(guest.process().pid()), "ns", kind));
            assertThat(sandbox).as(kind).isNotEqualTo(own);
        }
    }

    @Test
    void noDescriptorOfTheHostLeaksIn() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        String directory = run.path().resolve("sandboxes").resolve(machine.id().text()).toString();
        Path descriptors = Path.of("/proc", Long.toString(guest.process().pid()), "fd");
        try (DirectoryStream<Path> open = Files.newDirectoryStream(descriptors)) {
            for (Path descriptor : open) {
                String target = Files.readSymbolicLink(descriptor).toString();
                assertThat(isHarmless(target, directory)).as(descriptor + " -> " + target).isTrue();
            }
        }
    }

    private boolean isHarmless(String target, String directory) {
        boolean isOwn = Set.of("in", "out", "log").stream().anyMatch(name -> target.equals(directory + "/" + name));
        boolean isNameless = target.startsWith("pipe:") || target.startsWith("socket:") || target.startsWith("anon_inode:");
        // gVisor's kernel has the sandbox's files open itself, by paths of its own root.
        return isOwn || isNameless || target.equals("/dev/null") || engine.isGvisor();
    }

    @Test
    void setUserIdWorksOnlyWhereTheProfileAllowsIt() throws Exception {
        Guest strict = workshop.start(workshop.machine());
        assertThat(strict.run("user", "sudo", "-n", "id", "-u").status()).isNotZero();
        Guest standard = workshop.start(workshop.machine(Security.STANDARD, Workshop.LIMITS));
        assertThat(standard.run("user", "sudo", "-n", "id", "-u").output()).endsWith("0\n");
    }

    @Test
    void devicesOfAnImageAreDead() throws Exception {
        Machine machine = workshop.machine();
        Path nodes = Files.createDirectories(machine.writable().resolve("upper/srv"));
        new ProcessBuilder("mknod", "-m", "666", nodes.resolve("null").toString(), "c", "1", "3").start().waitFor();
        Guest guest = workshop.start(machine);
        Guest.Result result = guest.run("root", "sh", "-c", "ls /srv/null && cat /srv/null");
        assertThat(result.output()).startsWith("/srv/null");
        assertThat(result.status()).as("opening it").isNotZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"dev", "proc", "run", "sys", "tmp"})
    void linksOfAnImageDoNotLeadMountsOut(String place) throws Exception {
        Machine machine = workshop.machine();
        Path outside = Files.createDirectories(run.path().resolve("outside"));
        Path upper = machine.writable().resolve("upper");
        for (Path way : List.of(Path.of("/../../../../../../../.." + outside), outside)) {
            Files.deleteIfExists(upper.resolve(place));
            Files.createSymbolicLink(upper.resolve(place), way);
            Files.writeString(outside.resolve("planted"), "untouched");
            try {
                runtime.start(machine);
            } catch (SandglassException _) {
                // an engine may refuse such an image
            }
            runtime.destroy(machine.id());
            assertThat(outside).isDirectoryContaining(file -> file.endsWith("planted")).isDirectoryNotContaining(file -> !file.endsWith("planted"));
            assertThat(outside.resolve("planted")).hasContent("untouched");
        }
    }

    static String resource(String name) throws IOException {
        try (InputStream file = Objects.requireNonNull(PostureContract.class.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
