package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.network.RegistryKind;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Unit files and the {@code systemctl} of a sandbox: its first process supervises what they describe. */
@OnEveryRuntime
class SystemctlTest {
    /** Counts in a file, and has a child that is in a session of its own and nobody's. */
    private static final String COUNTER =
            """
            cat > /usr/local/bin/counter <<'END'
            #!/bin/sh
            (setsid sleep 12345678 &)
            n=0
            while :; do n=$((n + 1)); echo $n > /run/count; sleep 0.05; done
            END
            chmod +x /usr/local/bin/counter
            cat > /etc/systemd/system/counter.service <<'END'
            [Unit]
            Description=Counts
            [Service]
            ExecStart=/usr/local/bin/counter
            Restart=on-failure
            RestartSec=100ms
            [Install]
            WantedBy=multi-user.target
            END
            systemctl enable --now counter 2>&1
            """;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    SystemctlTest(String runtime) {
        this.runtime = runtime;
    }

    private TestSandbox create() {
        return daemon.api().create(SandboxRequest.on(runtime).memoryMb(256));
    }

    private static void awaitActive(TestSandbox box, String service) {
        Eventually.get(() -> box.output("systemctl is-active " + service + " || true"), "active"::equals);
    }

    private static String show(TestSandbox box, String property) {
        return box.output("systemctl show --value -p " + property + " counter");
    }

    private static long count(TestSandbox box) {
        String text = box.output("cat /run/count 2> /dev/null || true");
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    @Test
    void anEnabledUnitIsActiveInWhatBeginsWithItsDisk() {
        try (TestSandbox box = create()) {
            assertThat(box.output(COUNTER)).contains("Created symlink /etc/systemd/system/multi-user.target.wants/counter.service");
            assertThat(box.output("systemctl is-active counter; systemctl is-enabled counter")).isEqualTo("active\nenabled");
            assertThat(box.output("systemctl status counter")).contains("Counts", "active (running)", "Main PID: " + show(box, "MainPID"));
            Snapshot snapshot = daemon.api().capture(box.id(), null);
            try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()).memoryMb(256))) {
                awaitActive(copy, "counter");
                Eventually.get(() -> count(copy), n -> n > 2);
            } finally {
                daemon.api().deleteSnapshot(snapshot.id());
            }
            box.output("systemctl disable counter");
            box.stop();
            box.powerOn();
            assertThat(box.output("ls -d /run/systemd/system; systemctl is-active counter || true")).isEqualTo("/run/systemd/system\ninactive");
        }
    }

    @Test
    void aServiceGoesOnInEveryCopyOfItsProcesses() {
        CapturedMemory.assumeOn(runtime);
        try (TestSandbox box = create()) {
            box.output(COUNTER);
            Eventually.get(() -> count(box), n -> n > 5);
            Snapshot snapshot = daemon.api().captureAll(box.id());
            try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()).memoryMb(256))) {
                long then = count(copy);
                Eventually.get(() -> count(copy), n -> n > then + 5);
                assertThat(show(copy, "ActiveState,MainPID,NRestarts")).isEqualTo("active\n" + show(box, "MainPID") + "\n0");
                copy.output("kill -9 " + show(copy, "MainPID"));
                Eventually.get(() -> show(copy, "SubState,NRestarts"), "running\n1"::equals);
                copy.output("systemctl stop counter");
                assertThat(copy.count("sleep 12345678")).as("what it left behind goes with it").isZero();
                assertThat(box.output("systemctl is-active counter")).isEqualTo("active");
            } finally {
                daemon.api().deleteSnapshot(snapshot.id());
            }
        }
    }

    @Test
    void nothingOfAServiceOutlivesItsStopAndWhatFailsIsSaid() {
        try (TestSandbox box = create()) {
            box.output(COUNTER);
            Eventually.get(() -> box.count("sleep 12345678"), n -> n == 1);
            box.output("systemctl stop counter");
            assertThat(box.count("sleep 12345678")).isZero();
            assertThat(box.output("""
                    printf '[Service]\\nExecStart=/bin/false\\nRestart=always\\nRestartSec=0\\n' > /etc/systemd/system/bad.service
                    systemctl start bad; true
                    """)).isEmpty();
            Eventually.get(() -> box.output("systemctl is-failed bad || true"), "failed"::equals);
            assertThat(box.output("systemctl status bad || true")).contains("Reason: started 5 times within 60 s", "/bin/false ended with status 1");
            CommandResult unknown = box.run(Run.shell("""
                    printf '[Service]\\nUser=nonesuch\\nPrivateTmp=yes\\nExecStart=/bin/true\\n' > /etc/systemd/system/who.service
                    systemctl start who
                    """));
            assertThat(unknown.exit().code()).isEqualTo(1);
            assertThat(unknown.stderr()).contains("unknown user nonesuch", "not supported in a sandbox, and ignored: PrivateTmp=yes");
        }
    }

    @Test
    void aServiceHasThePrivilegesOfACommandAndOnlyRootHasASay() {
        try (TestSandbox box = create()) {
            String posture = "grep -E \"^(Cap|NoNewPrivs|Seccomp|Uid|Groups)\" /proc/self/status; grep -E \"processes|open files\" /proc/self/limits; cat /proc/self/oom_score_adj";
            for (String user : new String[] {"root", "user"}) {
                box.output("printf '%s\\n' '[Service]' Type=oneshot User=" + user + " 'ExecStart=/bin/sh -c '\"'\"'{ " + posture + "; } > /tmp/posture-" + user
                        + "'\"'\"'' > /etc/systemd/system/posture.service && systemctl start posture");
                assertThat(box.output("cat /tmp/posture-" + user)).isEqualTo(box.output(Run.shell(posture).as(user)));
            }
            box.output(COUNTER);
            CommandResult stranger = box.run(Run.shell("systemctl is-active counter && systemctl stop counter").as("user"));
            assertThat(stranger.stdout()).isEqualTo("active\n");
            assertThat(stranger.stderr()).contains("only root may do that");
            assertThat(box.output("systemctl is-active counter")).isEqualTo("active");
        }
    }

    /** As packages have it that were never given a unit. */
    @Test
    void aScriptOfInitStandsForAUnit() {
        try (TestSandbox box = create()) {
            box.output(
                    """
                    mkdir -p /etc/init.d
                    cat > /etc/init.d/legacy <<'END'
                    #!/bin/sh
                    case $1 in
                        start) (setsid sleep 87654321 &) && echo begun >> /run/legacy ;;
                        stop) echo ended >> /run/legacy ;;
                        *) exit 3 ;;
                    esac
                    END
                    chmod +x /etc/init.d/legacy""");
            box.output("systemctl start legacy");
            assertThat(box.output("systemctl is-active legacy; cat /run/legacy; pgrep -fc 'sleep 8765432[1]'")).isEqualTo("active\nbegun\n1");
            box.output("systemctl stop legacy");
            assertThat(box.output("systemctl is-active legacy || true; cat /run/legacy; pgrep -fc 'sleep 8765432[1]' || true")).isEqualTo("inactive\nbegun\nended\n0");
            box.output("systemctl enable legacy");
            box.stop();
            box.powerOn();
            awaitActive(box, "legacy");
            assertThat(box.output("cat /run/legacy")).isEqualTo("begun");
        }
    }

    @Test
    void packagesThatShipUnitsInstallAndRun() throws IOException, InterruptedException {
        PackagesTest.reached(RegistryKind.APT);
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(512).network(null, "allow @apt"))) {
            CommandResult installed = box.run(Run.shell("""
                    export DEBIAN_FRONTEND=noninteractive
                    { apt-get -o Acquire::Retries=3 update && apt-get -o Acquire::Retries=3 install -y --no-install-recommends nginx-light; } 2>&1
                    """).timeout(240_000));
            assertThat(installed.exit().code()).as(installed.stdout()).isZero();
            // With what it recommends: a mail server that has a script of init and no unit.
            CommandResult more = box.run(Run.shell("DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 install -y cron 2>&1").timeout(240_000));
            assertThat(more.exit().code()).as(more.stdout()).isZero();
            assertThat(box.output("systemctl is-enabled nginx cron; systemctl is-active nginx cron")).isEqualTo("enabled\nenabled\nactive\nactive");
            assertThat(box.output("curl -sS --noproxy '*' http://127.0.0.1/")).contains("Welcome to nginx");
            assertThat(box.output("systemctl reload nginx && service cron restart && systemctl is-active nginx cron")).isEqualTo("active\nactive");
            assertThat(box.output("DEBIAN_FRONTEND=noninteractive apt-get purge -y nginx-light 'nginx*' 2>&1; pgrep -c nginx || true")).endsWith("0");
            assertThat(box.output("systemctl is-active nginx || true")).isEqualTo("inactive");
        }
    }
}
