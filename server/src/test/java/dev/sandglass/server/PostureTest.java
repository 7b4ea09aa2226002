package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a process in a sandbox may do, however it came there, equals what is written down for its profile. With {@code
 * -Dsandglass.golden=write} it is written down anew, to be read before it is committed.
 */
@OnEveryRuntime
class PostureTest {
    private static final Path GOLDEN = Path.of("src/test/resources/posture");

    private final String runtime;

    PostureTest(String runtime) {
        this.runtime = runtime;
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "standard"})
    void everyProcessHasThePostureOfItsProfile(String profile) throws IOException {
        String script = Files.readString(GOLDEN.resolve("report.py"));
        try (TestSandbox box = SharedDaemon.api().create(SandboxRequest.on(runtime).security(profile))) {
            String root = box.output(Run.python(script));
            String user = box.output(Run.python(script).as("user"));
            assertThat(detached(box, Run.python(script))).as("a detached command").isEqualTo(root);
            assertThat(detached(box, Run.python(script).pty(80, 24)).replace("\r", "")).as("a command with a terminal").isEqualTo(root);
            assertThat(detached(box, Run.python(script).as("user"))).as("a detached command of the user").isEqualTo(user);
            String workers = "\n# file worker of root\n" + worker(box, "root", script) + "\n# file worker of the user\n" + worker(box, "user", script);
            compare(GOLDEN.resolve(runtime + "-" + profile + ".txt"), "# root\n" + root + "\n# user\n" + user + workers + "\n");
        }
    }

    private static String detached(TestSandbox box, Run run) {
        Command command = box.start(run);
        box.await(command);
        return Following.text(box.kept(command), "stdout").stripTrailing();
    }

    /** That of the process which reads a file, looked at while nobody takes what it has read. */
    private static String worker(TestSandbox box, String user, String script) throws IOException {
        box.output("truncate -s 1G /workspace/large");
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
