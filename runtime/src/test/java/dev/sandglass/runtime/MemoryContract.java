package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.guest.GuestStream;
import dev.sandglass.engine.guest.HeldFile;
import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory and processes of a sandbox, in an image from which any number of others go on. */
abstract class MemoryContract extends RuntimeFixture {
    private static final Limits ROOMY = new Limits(1L << 30, 1.5, 1L << 30, 400);

    MemoryContract(Engine engine) throws IOException {
        super(engine);
    }

    @BeforeAll
    void memoryCanBeCaptured() {
        runtime.obstacleToMemory().ifPresent(obstacle -> Assumptions.abort(engine.text() + ": " + obstacle));
    }

    @Test
    void twoCopiesGoOnEachWithItsOwnDisk() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        Witness source = Witness.start(guest);
        long before = source.ask("one").counter();

        Snapshot snapshot = workshop.snapshot(machine);
        Guest first = workshop.restore(machine, snapshot);
        Guest second = workshop.restore(machine, snapshot);

        for (Guest copy : List.of(first, second)) {
            Witness.Answer answer = source.in(copy).ask("in-" + copy.machine().id());
            assertThat(answer.counter()).as("it goes on").isGreaterThanOrEqualTo(before);
            assertThat(answer.deleted()).as("a deleted file in /tmp").isEqualTo("kept");
            assertThat(answer.typed()).as("a terminal").isEqualTo("typed");
            assertThat(answer.isWoken()).as("a listening socket and who waits for it").isTrue();
            assertThat(answer.threads()).isEqualTo(2);
            assertThat(answer.log()).as("an open file").containsExactly("one", "in-" + copy.machine().id());
            assertThat(copy.sh("cat /run/sandglass/id")).isEqualTo(copy.machine().id().text());
            assertThat(copy.sh("hostname")).isEqualTo(copy.machine().hostname());
            assertThat(runtime.life(copy.process())).isEqualTo(Life.ALIVE);
            assertThat(runtime.present()).contains(copy.machine().id());
        }
        Witness.Answer answer = source.ask("two");
        assertThat(answer.log()).containsExactly("one", "two");
        assertThat(answer.counter()).isGreaterThan(before);
    }

    @Test
    void commandsOfACopyAreKilledAndAwaited() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        Witness source = Witness.start(guest);
        guest.start("root", "sh", "-c", "echo said before; sleep 1000");
        int talker = source.number() + 1;
        guest.sh("true");

        Guest copy = workshop.restore(machine, workshop.snapshot(machine));

        assertThat(Guest.firstOutput(copy.link().commands().find(talker).orElseThrow().stream().attach(0))).isEqualTo("said before\n");
        source.in(copy).stream().signal(9);
        assertThat(copy.link().commands().find(source.number()).orElseThrow().stream().exit().get().status()).isEqualTo(-9);
        assertThat(source.ask("alive").log()).as("the source").containsExactly("alive");
    }

    @Test
    void aCopyRunsItsHooksBeforeItAnswers() throws Exception {
        Machine machine = workshop.machine();
        Path hooks = Files.createDirectories(machine.writable().resolve("upper/etc/sandglass/on-resume.d"));
        Path hook = Files.writeString(hooks.resolve("tell"), "#!/bin/sh\necho $SANDGLASS_GENERATION $(hostname) >> /workspace/resumed\n");
        Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwxr-xr-x"));
        Guest guest = Guest.greet(runtime, machine, runtime.start(machine), 1);
        Snapshot snapshot = workshop.snapshot(machine);
        Machine twin = workshop.copyOf(machine, snapshot, machine.limits());

        Guest copy = Guest.greet(runtime, twin, runtime.restore(twin, snapshot.image()), 2);

        assertThat(copy.sh("cat /workspace/resumed")).isEqualTo("2 " + twin.hostname());
        assertThat(guest.sh("cat /workspace/resumed 2>&1")).contains("No such file");
    }

    @Test
    void theLinkOfACopyBeginsAnewWhateverTheOldOneWasAbout() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        int talker = guest.start("root", "sh", "-c", "while :; do echo talk; done").stream().number();
        guest.link().close(); // the agent talks to nobody

        Guest copy = workshop.restore(machine, workshop.snapshot(machine));

        GuestStream stream = copy.link().commands().find(talker).orElseThrow().stream();
        assertThat(Guest.firstOutput(stream.attach(stream.endOffset()))).contains("talk");
        stream.signal(9);
        assertThat(stream.exit().get().status()).isEqualTo(-9);
        assertThat(Guest.greet(runtime, machine, guest.process()).sh("echo on")).as("the source").isEqualTo("on");
    }

    @Test
    void whatIsInTheWayIsNamed() throws Exception {
        Assumptions.assumeFalse(runtime.capturesOnHost(), "deleted files are captured too");
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        assertThat(HeldFile.find(guest.link(), List.of())).isEmpty();
        guest.start("user", "sh", "-c", "exec 3>/workspace/open 4>/tmp/fine; rm /workspace/open /tmp/fine; echo ready; sleep 1000").next();
        guest.start("root", "sh", "-c", "cp /bin/sleep /opt/nap; /opt/nap 1000 & sleep 0.3; rm /opt/nap; echo ready; wait").next();

        List<HeldFile> found = HeldFile.find(guest.link(), List.of());

        assertThat(found).extracting(HeldFile::path).containsOnly("/workspace/open", "/opt/nap");
        assertThat(found).anySatisfy(held -> assertThat(held.text()).contains("(/opt/nap 1000) has it in memory"));
    }

    @Test
    void aDeletedFileInUseBlocksItAndTheSourceGoesOn() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        Witness source = Witness.start(guest);
        // what is kept of a deleted file in use has its bounds on a container
        String write = engine.isGvisor() ? ":" : "head -c 70000000 /dev/zero >&3";
        GuestReader holder =
                guest.start("root", "sh", "-c", "exec 3>/workspace/scratch; " + write + "; rm /workspace/scratch; echo gone; exec sleep 1000");
        assertThat(Guest.firstOutput(holder)).isEqualTo("gone\n");
        Path image = workshop.image();

        assertThatThrownBy(() -> workshop.snapshot(machine, image)).isInstanceOfSatisfying(SandglassException.class, problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.SNAPSHOT_BLOCKED);
            assertThat(problem.what()).contains("/workspace/scratch").contains(engine.isGvisor() ? "" : "sleep 1000");
        });

        assertThat(image).isEmptyDirectory();
        assertThat(source.ask("one").log()).containsExactly("one");
        holder.stream().signal(9);
        holder.stream().exit().get();
        workshop.snapshot(machine, image);
        assertThat(source.ask("two").log()).containsExactly("one", "two");
    }

    @Test
    void tenSnapshotsLoseNothing() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        Witness source = Witness.start(guest);
        List<String> words = new ArrayList<>();
        long counter = 0;
        Snapshot last = workshop.snapshot(machine);
        for (int i = 0; i < 10; i++) {
            words.add("word" + i);
            Witness.Answer answer = source.ask("word" + i);
            assertThat(answer.log()).isEqualTo(words);
            assertThat(answer.counter()).isGreaterThan(counter);
            counter = answer.counter();
            last = workshop.snapshot(machine);
        }
        words.add("copy");
        assertThat(source.in(workshop.restore(machine, last)).ask("copy").log()).isEqualTo(words);
    }

    /** A parent that waits for its child to execute a program cannot be stopped. */
    @Test
    void oneThatStartsProgramsAllTheTimeIsCaptured() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        String starting = "import subprocess\nprint('up', flush=True)\nwhile True: subprocess.run(['/bin/true'], close_fds=False)";
        guest.start("root", "python3", "-c", starting).next();
        for (int i = 0; i < 5; i++) {
            assertThat(workshop.restore(machine, workshop.snapshot(machine)).sh("pgrep -o python3")).isNotEmpty();
        }
    }

    @Test
    void aCopyOfACopyGoesOn() throws Exception {
        Machine machine = workshop.machine();
        Witness source = Witness.start(workshop.start(machine));
        List<String> words = new ArrayList<>();
        for (int depth = 0; depth < 3; depth++) {
            words.add("depth" + depth);
            Guest copy = workshop.restore(machine, workshop.snapshot(machine));
            machine = copy.machine();
            source = source.in(copy);
            assertThat(source.ask("depth" + depth).log()).isEqualTo(words);
        }
    }

    @Test
    void hundredsOfProcessesGoOn() throws Exception {
        Machine machine = workshop.machine(Security.STRICT, ROOMY);
        Guest guest = workshop.start(machine);
        guest.start("root", "sh", "-c", "for i in $(seq 200); do sleep 1000 & done; echo up; wait").next();

        Guest copy = workshop.restore(machine, workshop.snapshot(machine));

        assertThat(copy.sh("pgrep -c sleep")).isEqualTo("200");
        assertThat(guest.sh("pgrep -c sleep")).isEqualTo("200");
    }

    @ParameterizedTest
    @EnumSource(Security.class)
    void whatACopyMayDoIsWhatAStartedOneMay(Security security) throws Exception {
        Machine machine = workshop.machine(security, Workshop.LIMITS);
        Guest guest = workshop.start(machine);
        Guest copy = workshop.restore(machine, workshop.snapshot(machine));
        assertThat(PostureContract.posture(copy)).isEqualTo(PostureContract.posture(guest));
        assertThat(PostureContract.posture(copy)).isEqualTo(PostureContract.resource("posture-" + runtime.name() + "-" + security.text() + ".txt"));
    }

    @Test
    void limitsHoldInACopyAndMayBeOthers() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        Witness source = Witness.start(guest);
        Snapshot snapshot = workshop.snapshot(machine);
        Machine small = workshop.copyOf(machine, snapshot, new Limits(256L << 20, 0.5, 1L << 30, 64));

        Guest copy = Guest.greet(runtime, small, runtime.restore(small, snapshot.image()));

        Guest.Result eaten = copy.run("user", "python3", "-c", "b = []\nwhile True: b.append(bytearray(8 << 20))");
        assertThat(engine.isGvisor() ? eaten.outOfMemory() : runtime.usage(small.id()).oomKills() > 0).as(eaten.output()).isTrue();
        String forks = copy.run("user", "python3", "-c", LimitsContract.FORKS).output();
        assertThat(forks).as("errno and number of processes").startsWith("11 ");
        assertThat(Integer.parseInt(forks.strip().split(" ")[1])).isLessThanOrEqualTo(64);
        copy.run("user", "sh", "-c", "kill -9 -1");
        String shown = engine.isGvisor()
                ? "awk '/MemTotal/ {print $2 * 1024}' /proc/meminfo"
                : "cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max";
        assertThat(copy.sh(shown)).isEqualTo(Long.toString(256L << 20));
        assertThat(source.in(copy).ask("alive").log()).containsExactly("alive");
    }

    @Test
    void anImageThatNeedsMoreMemoryIsRefusedWithTheLeast() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        guest.start("root", "python3", "-u", "-c", "b = b'x' * (200 << 20)\nprint('up')\nimport time\ntime.sleep(1000)").next();
        Snapshot snapshot = workshop.snapshot(machine);
        long least = (runtime.leastMemory(snapshot.image()) + (1 << 20) - 1) >> 20;
        assertThat(least).isBetween(264L, 400L);
        Machine tooSmall = workshop.copyOf(machine, snapshot, new Limits(128L << 20, 0.5, 1L << 30, 64));

        assertThatThrownBy(() -> runtime.restore(tooSmall, snapshot.image()))
                .isInstanceOfSatisfying(SandglassException.class, problem -> {
                    assertThat(problem.code()).isEqualTo(ErrorCode.CONFLICT);
                    assertThat(problem.what()).contains("memory_mb: 128 (expected: >= " + least);
                });

        Machine justEnough = workshop.copyOf(machine, snapshot, new Limits(least << 20, 0.5, 1L << 30, 64));
        Guest copy = Guest.greet(runtime, justEnough, runtime.restore(justEnough, snapshot.image()));
        assertThat(copy.sh("sleep 1; pgrep -c python3")).isEqualTo("1");
    }

    /** The image is as large as the memory, and must not be charged to a sandbox that has no room for it. */
    @Test
    void aFullSandboxIsCapturedToo() throws Exception {
        Machine machine = workshop.machine(Security.STRICT, new Limits(512L << 20, 1.5, 1L << 30, 100));
        Guest guest = workshop.start(machine);
        String eat = "b = b'x' * (400 << 20)\nprint('up')\nimport time\ntime.sleep(1000)";
        guest.start("root", "python3", "-u", "-c", eat).next();

        Snapshot snapshot = workshop.snapshot(machine);
        assertThat(guest.sh("pgrep -c python3")).as("the source").isEqualTo("1");
        Guest copy = workshop.restore(machine, snapshot);

        assertThat(copy.sh("pgrep -c python3")).as("the copy").isEqualTo("1");
        try (Stream<Path> files = Files.list(snapshot.image())) {
            long bytes = files.filter(file -> file.getFileName().toString().startsWith("pages")).mapToLong(file -> file.toFile().length()).sum();
            assertThat(bytes).isBetween(400L << 20, 512L << 20);
        }
    }

    @Test
    void noRoomForTheImageHarmsNobody() throws Exception {
        Machine machine = workshop.machine();
        Witness source = Witness.start(workshop.start(machine));
        Path small = Files.createDirectory(run.path().resolve("small"));
        mount("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", small.toString());
        try {
            assertThatThrownBy(() -> workshop.snapshot(machine, small)).isInstanceOfSatisfying(
                    SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.DISK_FULL));
            assertThat(small).isEmptyDirectory();
        } finally {
            mount("umount", small.toString());
            Files.delete(small);
        }
        assertThat(source.ask("alive").log()).containsExactly("alive");
        workshop.restore(machine, workshop.snapshot(machine));
    }

    private static void mount(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).as(String.join(" ", command)).isZero();
    }

    @Test
    void anImageOnADiskWorksLikeOneInMemory() throws Exception {
        Machine machine = workshop.machine();
        Witness source = Witness.start(workshop.start(machine));
        Path onDisk = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "image-");
        try {
            Snapshot snapshot = workshop.snapshot(machine, onDisk);
            assertThat(source.in(workshop.restore(machine, snapshot)).ask("copy").log()).containsExactly("copy");
        } finally {
            Trees.remove(onDisk);
        }
    }

    @Test
    void aDamagedImageLeavesNothingBehind() throws Exception {
        Machine machine = workshop.machine();
        workshop.start(machine);
        Snapshot snapshot = workshop.snapshot(machine);
        Files.write(snapshot.image().resolve(engine.isGvisor() ? "checkpoint.img" : "core-1.img"), new byte[1000]);
        Machine copy = workshop.copyOf(machine, snapshot, machine.limits());

        assertThatThrownBy(() -> runtime.restore(copy, snapshot.image()))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.RUNTIME_FAILED));

        assertThat(runtime.present()).containsExactly(machine.id());
    }

    @Test
    void oneThatIsDestroyedWhileItIsRestoredLeavesNothingBehind() throws Exception {
        Machine machine = workshop.machine();
        Witness source = Witness.start(workshop.start(machine));
        Snapshot snapshot = workshop.snapshot(machine);
        for (int i = 0; i < 5; i++) {
            Machine copy = workshop.copyOf(machine, snapshot, machine.limits());
            Thread restoring = Thread.ofVirtual().start(() -> {
                try {
                    runtime.restore(copy, snapshot.image());
                } catch (SandglassException _) {
                    // it was killed halfway
                }
            });
            Thread.sleep(20 + 50L * i); // any moment of a restore
            for (String process : processes(copy)) {
                ProcessHandle.of(Long.parseLong(process)).ifPresent(ProcessHandle::destroyForcibly);
            }
            restoring.join();
            runtime.destroy(copy.id());
        }
        assertThat(runtime.present()).containsExactly(machine.id());
        assertThat(source.ask("alive").log()).containsExactly("alive");
    }

    private List<String> processes(Machine machine) throws IOException {
        Path list = group(machine).places().getFirst().directory().resolve("cgroup.procs");
        return Files.exists(list) ? Files.readAllLines(list) : List.of();
    }

    @Test
    void traitsAreTheSameEachTime() throws Exception {
        Map<String, String> traits = runtime.traits(false);
        assertThat(traits).containsEntry("runtime", runtime.name()).containsKeys("engine", "engine_version", "flags", "mounts", "architecture", "cpu_features");
        assertThat(engine.open(run, cgroups).traits(false)).isEqualTo(traits);
        assertThat(traits.values()).noneMatch(String::isBlank);
    }

    @Test
    void theProcessOfACopyIsItsOwn() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        MachineProcess copy = workshop.restore(machine, workshop.snapshot(machine)).process();
        assertThat(copy).isNotEqualTo(guest.process());
    }
}
