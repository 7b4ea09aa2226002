package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.CommandResult;
import org.junit.jupiter.api.Test;

/** What every sandbox has on board. */
@OnEveryRuntime
class BaseImageTest {
    private final TestSandbox box;

    BaseImageTest(String runtime) {
        this.box = SharedDaemon.sandbox(runtime);
    }

    @Test
    void theToolsAreThereAndRun() {
        assertThat(box.output("""
                bash --version | head -1; curl --version | head -1; git --version; python --version; python3 --version; pip3 --version
                ssh -V 2>&1; test -x /usr/sbin/sshd; sudo --version | head -1; xz --version | head -1; tput -V; ps --version
                test -s /etc/ssl/certs/ca-certificates.crt && echo certificates
                """)).contains("GNU bash", "curl ", "git version", "Python 3", "pip ", "OpenSSH", "Sudo", "XZ Utils", "ncurses", "procps", "certificates");
    }

    @Test
    void noServiceRunsByItself() {
        assertThat(box.output("ps -e -o comm= | grep -c sshd || true")).isEqualTo("0");
        assertThat(box.output("find /etc/systemd/system -path '*.target.*/*.service'")).as("what would start with the sandbox").isEmpty();
        assertThat(box.output("ls /etc/ssh | grep -c ssh_host || true")).as("keys that all sandboxes would share").isEqualTo("0");
    }

    @Test
    void thereIsAUserWithAHome() {
        assertThat(box.output("id -u user; getent passwd user | cut -d: -f6")).isEqualTo("1000\n/home/user");
        assertThat(box.output(Run.shell("cd && touch here && stat -c %U here").as("user"))).isEqualTo("user");
    }

    @Test
    void theWorkspaceIsForBoth() {
        assertThat(box.output(Run.shell("echo user > /workspace/by-user && cat /workspace/by-user").as("user"))).isEqualTo("user");
        assertThat(box.output("echo root > /workspace/by-root && cat /workspace/by-root")).isEqualTo("root");
    }

    @Test
    void pythonMakesVirtualEnvironments() {
        assertThat(box.output("python3 -m venv /tmp/venv && /tmp/venv/bin/python -c 'import sys; print(sys.prefix)'")).isEqualTo("/tmp/venv");
    }

    @Test
    void pipIsNotRefusedAsExternallyManaged() {
        CommandResult result = box.run(Run.of("pip3", "install", "--retries", "0", "--timeout", "1", "no-such-package-at-all"));
        assertThat(result.stderr()).doesNotContain("externally-managed").contains("No matching distribution");
    }

    @Test
    void standardDevicesAndDirectoriesAreThere() {
        assertThat(box.output("ls /dev")).contains("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm");
        assertThat(box.output("find /dev -type b | wc -l")).isEqualTo("0");
        assertThat(box.output(Run.shell("for d in /tmp /var/tmp /dev/shm; do touch $d/x-$$ && rm $d/x-$$; done; echo fine").as("user"))).isEqualTo("fine");
    }

    @Test
    void aptKnowsItsSources() {
        assertThat(box.output("apt-get --version | head -1; ls /etc/apt/sources.list")).contains("apt ");
    }
}
