package dev.sandglass.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Control groups of the host that runs the tests; what this host does not have of version 2 is tried on plain files. */
class CgroupTest {
    private static final CgroupLimits LIMITS = new CgroupLimits(64L << 20, 1.5, 20);
    private final String parent = "sandglass-linux-test-" + ProcessHandle.current().pid();

    @TempDir
    Path files;

    @AfterEach
    void removeGroups() throws IOException {
        for (String name : Cgroups.detect().names(parent)) {
            Cgroups.detect().group(parent, name).destroy(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));
        }
        Cgroups.detect().removeIfEmpty(parent);
    }

    @Test
    void killsEvenWhatForksMeanwhileAndRemovesTheGroup() throws Exception {
        Cgroup group = Cgroups.detect().group(parent, "bomb");
        group.make();
        group.limit(LIMITS);
        Process bomb = inside(group, "bomb() { bomb & bomb; }; bomb 2>/dev/null");
        await().atMost(Duration.ofSeconds(60)).until(() -> group.usage().tasks() > 1);

        group.destroy(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));

        assertThat(bomb.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(Cgroups.detect().names(parent)).isEmpty();
        assertThat(group.usage()).isEqualTo(new CgroupUsage(0, 0, 0, 0, 0));
        group.destroy(System.nanoTime());
    }

    @Test
    void countsAnOutOfMemoryKill() throws Exception {
        Cgroup group = Cgroups.detect().group(parent, "memory");
        group.make();
        group.limit(LIMITS);
        Process eater = inside(group, "exec tail /dev/zero");
        assertThat(eater.waitFor()).isEqualTo(128 + 9);
        assertThat(group.usage().oomKills()).isEqualTo(1);
    }

    @Test
    void limitsCanBeRaisedAndLowered() throws Exception {
        Cgroup group = Cgroups.detect().group(parent, "change");
        group.make();
        for (long mebibytes : new long[] {64, 128, 32}) {
            group.limit(new CgroupLimits(mebibytes << 20, 1, 20));
        }
        assertThat(group.usage().oomKills()).isZero();
    }

    @Test
    void versionTwoGetsItsOwnFiles() throws Exception {
        Path mount = Files.createDirectories(files.resolve("unified"));
        for (Path directory : List.of(mount, Files.createDirectories(mount.resolve(parent)))) {
            Files.writeString(directory.resolve("cgroup.controllers"), "cpuset cpu io memory pids");
            Files.writeString(directory.resolve("cgroup.subtree_control"), "cpu");
        }
        Path own = mount.resolve(parent).resolve("box");
        CgroupHierarchy unified = CgroupHierarchy.of("30 24 0:26 / " + mount + " rw - cgroup2 cgroup2 rw").orElseThrow();
        Cgroups cgroups = new Cgroups(List.of(unified));
        Cgroup group = cgroups.group(parent, "box");
        group.make();
        Files.createFile(own.resolve("memory.swap.max"));
        group.limit(LIMITS);

        assertThat(cgroups.version()).isEqualTo("v2");
        assertThat(cgroups.missing()).isEmpty();
        assertThat(own.resolve("memory.max")).hasContent("67108864");
        assertThat(own.resolve("memory.swap.max")).hasContent("0");
        assertThat(own.resolve("cpu.max")).hasContent("150000 100000");
        assertThat(own.resolve("pids.max")).hasContent("20");
        assertThat(mount.resolve("cgroup.subtree_control")).hasContent("+pids");
        Files.writeString(own.resolve("memory.current"), "5000\n");
        Files.writeString(own.resolve("memory.stat"), "anon 1\ninactive_file 1000\n");
        Files.writeString(own.resolve("memory.events"), "oom 3\noom_kill 2\noom_group_kill 0\n");
        Files.writeString(own.resolve("cpu.stat"), "usage_usec 77\nuser_usec 70\n");
        Files.writeString(own.resolve("pids.current"), "4\n");
        Files.writeString(own.resolve("pids.events"), "max 3\n");
        assertThat(group.usage()).isEqualTo(new CgroupUsage(4000, 77, 4, 2, 3));
        assertThat(group.places()).extracting(CgroupPlace::entrance).containsExactly(own.resolve("cgroup.procs"));
    }

    @Test
    void aControllerThatIsNowhereIsMissing() throws Exception {
        CgroupHierarchy memory =
                CgroupHierarchy.of("33 24 0:29 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory").orElseThrow();
        CgroupHierarchy both =
                CgroupHierarchy.of("34 24 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct").orElseThrow();
        Cgroups cgroups = new Cgroups(List.of(memory, both));
        assertThat(cgroups.missing()).containsExactly("pids");
        assertThat(cgroups.version()).isEqualTo("v1");
        assertThat(both.controllers()).isEqualTo(Set.of("cpu", "cpuacct"));
    }

    private static Process inside(Cgroup group, String script) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "for i; do echo 0 > $i || exit 99; done; " + script, "sh"));
        group.places().forEach(place -> command.add(place.entrance().toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
