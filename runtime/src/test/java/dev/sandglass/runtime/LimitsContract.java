package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Security;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The limits of a sandbox hold, are seen inside, and breaking them harms nobody else. */
abstract class LimitsContract extends RuntimeFixture {
    private static final Limits SMALL = new Limits(256L << 20, 0.5, 1L << 30, 64);

    /** Makes processes for as long as it can, and prints the errno and how many it made. */
    static final String FORKS =
            """
            import os, time
            n = 0
            try:
                while n < 500:
                    if os.fork() == 0:
                        time.sleep(30)
                        os._exit(0)
                    n += 1
            except OSError as e:
                print(e.errno, n)
            """;

    LimitsContract(Engine engine) throws IOException {
        super(engine);
    }

    @Test
    void memoryIsLimitedAndTheSandboxLivesOn() throws Exception {
        Machine machine = workshop.machine(Security.STRICT, SMALL);
        Guest guest = workshop.start(machine);
        String eat = "b = []\nwhile True: b.append(bytearray(8 << 20))";

        Guest.Result result = guest.run("user", "python3", "-c", eat);

        assertThat(result.status()).as(result.output()).isIn(-9, 1);
        boolean isTold = engine.isGvisor() ? result.outOfMemory() : runtime.usage(machine.id()).oomKills() > 0;
        assertThat(isTold).as("it is known that memory ran out").isTrue();
        assertThat(runtime.life(guest.process())).isEqualTo(Life.ALIVE);
        assertThat(guest.sh("echo alive")).isEqualTo("alive");
    }

    @Test
    void programsSeeTheMemoryLimit() throws Exception {
        Guest guest = workshop.start(workshop.machine(Security.STRICT, SMALL));
        String seen = engine.isGvisor()
                ? guest.sh("awk '/MemTotal/ {print $2 * 1024}' /proc/meminfo")
                : guest.sh("cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max");
        assertThat(Long.parseLong(seen)).isEqualTo(SMALL.memoryBytes());
    }

    @Test
    void processesAreLimitedAndTheSandboxLivesOn() throws Exception {
        Guest guest = workshop.start(workshop.machine(Security.STRICT, SMALL));
        for (String user : new String[] {"root", "user"}) {
            String[] answer = guest.run(user, "python3", "-c", FORKS).output().strip().split(" ");
            assertThat(answer[0]).as("EAGAIN").isEqualTo("11");
            assertThat(Integer.parseInt(answer[1])).isBetween(1, (int) SMALL.processes());
            guest.sh("kill -9 -1");
        }
        assertThat(guest.sh("echo alive")).isEqualTo("alive");
    }

    @Test
    void processorTimeIsLimited() throws Exception {
        Machine machine = workshop.machine(Security.STRICT, SMALL);
        Guest guest = workshop.start(machine);
        long before = runtime.usage(machine.id()).cpuMicros();
        Instant began = Instant.now();
        guest.sh("for i in 1 2 3; do timeout 2 sh -c 'while :; do :; done' & done; wait");
        long used = runtime.usage(machine.id()).cpuMicros() - before;
        long wall = Duration.between(began, Instant.now()).toMillis() * 1000;
        assertThat((double) used / wall).isLessThan(0.75);
    }

    @Test
    void forkBombEndsWithTheSandbox() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        long before = runtime.usage(machine.id()).cpuMicros();
        String go = "until [ -e /srv/go ]; do sleep 0.05; done; "; // the first must not keep the second from starting
        guest.start("user", "bash", "-c", go + "bomb() { bomb | bomb & }; bomb; sleep 60");
        guest.start("root", "bash", "-c", go + "exec python3 -c 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass'");
        guest.sh("touch /srv/go");
        await("both have worked").atMost(Duration.ofSeconds(60)).until(() -> runtime.usage(machine.id()).cpuMicros() - before > 1_500_000);

        Instant began = Instant.now();
        runtime.destroy(machine.id());

        assertThat(Duration.between(began, Instant.now())).isLessThan(Duration.ofSeconds(60));
        assertThat(Leftovers.of(run, cgroups)).isEmpty();
    }

    @Test
    void filesInMemoryCountAsMemory() throws Exception {
        Machine machine = workshop.machine(Security.STRICT, SMALL);
        Guest guest = workshop.start(machine);
        Guest.Result result = guest.run("root", "sh", "-c", "head -c 1000000000 /dev/zero > /dev/shm/full");
        assertThat(result.status()).as("no space, or killed").isNotZero();
        assertThat(guest.sh("rm -f /dev/shm/full; echo alive")).isEqualTo("alive");
    }
}
