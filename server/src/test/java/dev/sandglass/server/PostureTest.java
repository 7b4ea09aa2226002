package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a process in a sandbox may do, however it came there, equals what is written down for its profile. With {@code
 * -Dsandglass.golden=write} it is written down anew, to be read before it is committed.
 */
@DefaultNetwork
@OnEveryRuntime
class PostureTest {
    private static final Path GOLDEN = Path.of("src/test/resources/posture");

    private final String runtime;

    PostureTest(String runtime) {
        this.runtime = runtime;
    }

    /** Whether it has a network, in namespaces that were made before it, or none. */
    @ParameterizedTest
    @CsvSource({"strict, open", "strict, none", "standard, open", "standard, none"})
    void everyProcessHasThePostureOfItsProfile(String profile, String network) throws IOException {
        String script = Files.readString(GOLDEN.resolve("report.py"));
        try (TestSandbox box = SharedDaemon.api().create(SandboxRequest.on(runtime).security(profile).network(network))) {
            String root = box.output(Run.python(script));
            String user = box.output(Run.python(script).as("user"));
            assertThat(detached(box, Run.python(script))).as("a detached command").isEqualTo(root);
            assertThat(detached(box, Run.python(script).pty(80, 24)).replace("\r", "")).as("a command with a terminal").isEqualTo(root);
            assertThat(detached(box, Run.python(script).as("user"))).as("a detached command of the user").isEqualTo(user);
            assertThat(service(box, "posture", script, "root")).as("a service").isEqualTo(root);
            assertThat(service(box, "posture-of-user", script, "user")).as("a service of the user").isEqualTo(user);
            String workers = "\n# file worker of root\n" + worker(box, "root", script) + "\n# file worker of the user\n" + worker(box, "user", script);
            compare(GOLDEN.resolve(runtime + "-" + profile + ".txt"), "# root\n" + root + "\n# user\n" + user + workers + "\n");
        }
    }

    /** The first process keeps what it needs to start others; those have what was asked for, a start later too. */
    @Test
    void addedAndDroppedCapabilitiesAreThoseOfEveryProcess() throws IOException {
        String script = Files.readString(GOLDEN.resolve("report.py"));
        SandboxRequest request = SandboxRequest.on(runtime).capabilities(List.of("CAP_SETFCAP", "audit_write"), List.of("NET_BIND_SERVICE", "chown"));
        try (TestSandbox box = SharedDaemon.api().create(request)) {
            assertThat(box.info().capabilities()).contains("SETFCAP", "AUDIT_WRITE", "KILL").doesNotContain("NET_BIND_SERVICE", "CHOWN");
            box.stop();
            box.powerOn();
            String root = box.output(Run.python(script));
            String user = box.output(Run.python(script).as("user"));
            assertThat(detached(box, Run.python(script))).as("a detached command").isEqualTo(root);
            assertThat(detached(box, Run.python(script).pty(80, 24)).replace("\r", "")).as("a command with a terminal").isEqualTo(root);
            assertThat(service(box, "posture", script, "root")).as("a service").isEqualTo(root);
            compare(GOLDEN.resolve(runtime + "-capabilities.txt"), "# root\n" + root + "\n# user\n" + user + "\n");
            assertThat(box.run(Run.shell("touch /tmp/file; chown user /tmp/file")).exit().code()).isNotZero();
        }
    }

    @Test
    void allOfThemCanBeDropped() {
        try (TestSandbox box = SharedDaemon.api().create(SandboxRequest.on(runtime).capabilities(List.of("KILL"), List.of("ALL")))) {
            assertThat(box.info().capabilities()).containsExactly("KILL");
            String shown = box.output("grep -E 'Cap(Prm|Bnd)' /proc/self/status | awk '{print $2}' | sort -u");
            assertThat(shown).isEqualTo("0000000000000020");
            assertThat(box.output(Run.of("id", "-un").as("user"))).as("the agent still becomes another user").isEqualTo("user");
        }
    }

    @Test
    void whatCouldBreakTheIsolationIsNotGiven() {
        for (String name : List.of("SYS_ADMIN", "CAP_SYS_PTRACE", "NET_ADMIN", "MKNOD", "DAC_READ_SEARCH", "SYS_MODULE", "BPF", "ALL", "", "SYS_ADMIN\n")) {
            refused(ErrorCode.INVALID_REQUEST, () -> SharedDaemon.api().create(SandboxRequest.on(runtime).capabilities(List.of(name), List.of())));
        }
        refused(ErrorCode.INVALID_REQUEST, () -> SharedDaemon.api().create(SandboxRequest.on(runtime).capabilities(List.of("KILL"), List.of("KILL"))));
        if (runtime.equals("gvisor")) {
            refused(ErrorCode.INVALID_REQUEST, () -> SharedDaemon.api().create(SandboxRequest.on(runtime).capabilities(List.of("NET_RAW"), List.of())));
        } else {
            try (TestSandbox box = SharedDaemon.api().create(SandboxRequest.on(runtime).capabilities(List.of("NET_RAW"), List.of()))) {
                assertThat(box.output(Run.python("import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print('raw')"))).isEqualTo("raw");
            }
        }
    }

    private static String detached(TestSandbox box, Run run) {
        Command command = box.start(run);
        box.await(command);
        return Following.text(box.kept(command), "stdout").stripTrailing();
    }

    private static String service(TestSandbox box, String name, String script, String user) {
        box.services().create(ServiceRequest.of(name, "python3", "-c", script).as(user).restart("never"));
        box.services().await(name, "inactive");
        return box.services().log(name).stripTrailing();
    }

    /** That of the process which reads a file, looked at while nobody takes what it has read. */
    private static String worker(TestSandbox box, String user, String script) throws IOException {
        box.output("truncate -s 1G /workspace/large");
        // That of the user before this one may still be on its way out.
        Eventually.get(() -> box.output(Run.of("python3", "-c", script, "workers")), String::isEmpty);
        try (InputStream untouched = box.filesOf(user).open("/workspace/large")) {
            assertThat(untouched.read()).isZero();
            return Eventually.get(() -> box.output(Run.of("python3", "-c", script, "workers")), text -> !text.isEmpty());
        }
    }

    private static void compare(Path golden, String found) throws IOException {
        if (System.getProperty("sandglass.golden", "").equals("write")) {
            Files.writeString(golden, found);
        }
        assertThat(found).as("posture, written down in %s", golden).isEqualTo(Files.readString(golden));
    }

    @Test
    void namespacesAreNotTheHosts() throws IOException {
        TestSandbox box = SharedDaemon.sandbox(runtime);
        for (String name : List.of("pid", "mnt", "net", "ipc", "uts", "user", "cgroup")) {
            if (runtime.equals("gvisor") && (name.equals("cgroup") || name.equals("mnt"))) {
                continue; // the sentry shows none of its own
            }
            String host = Files.readSymbolicLink(Path.of("/proc/self/ns", name)).toString();
            assertThat(box.output("readlink /proc/self/ns/" + name)).as(name).isNotEqualTo(host);
        }
        assertThat(box.output("ps -e -o pid= | wc -l")).as("only its own processes").satisfies(count -> assertThat(Integer.parseInt(count.strip())).isLessThan(60));
    }

    @Test
    void aUserCannotLookIntoPidOne() {
        TestSandbox box = SharedDaemon.sandbox(runtime);
        assertThat(box.run(Run.of("ls", "/proc/1/fd").as("user")).exit().code()).isNotZero();
    }

    /** Also while commands start: one that is about to execute its program may still share the agent's memory. */
    @ParameterizedTest
    @ValueSource(strings = {"root", "user"})
    void noCommandReadsOrTracesTheAgent(String user) throws IOException {
        TestSandbox box = SharedDaemon.sandbox(runtime);
        Command prying = box.start(Run.python(Files.readString(GOLDEN.resolve("pry.py"))).as(user));
        for (int i = 0; i < 60; i++) {
            box.run(Run.of("true").as(user));
        }
        box.signal(prying, "TERM");
        box.await(prying);
        assertThat(Following.text(box.kept(prying), "stdout").strip()).isEqualTo("nothing");
    }

    @Test
    void sudoWorksUnderStandardOnly() {
        try (TestSandbox box = SharedDaemon.api().create(SandboxRequest.on(runtime).security("standard"))) {
            assertThat(box.output(Run.of("sudo", "id", "-u").as("user"))).isEqualTo("0");
            assertThat(box.run(Run.of("sudo", "sh", "-c", "exit 7").as("user")).exit().code()).isEqualTo(7);
        }
        assertThat(SharedDaemon.sandbox(runtime).run(Run.of("sudo", "-n", "id", "-u").as("user")).exit().code()).isNotZero();
    }
}
