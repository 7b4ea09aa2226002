package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What could lead out of a sandbox is refused, by its effect and not by what /proc says, under every profile. */
@OnEveryRuntime
class RefusedCallsTest {
    /** Tries a list of system calls on x86-64 and prints those that worked. */
    private static final String CALLS = """
            import ctypes, os, socket
            libc = ctypes.CDLL(None, use_errno=True)
            def call(number, *arguments):
                ctypes.set_errno(0)
                return libc.syscall(ctypes.c_long(number), *arguments)
            buffer = ctypes.create_string_buffer(256)
            tries = {
                'mount': lambda: call(165, b'none', b'/mnt', b'tmpfs', 0, 0),
                'umount': lambda: call(166, b'/proc', 2),
                'pivot_root': lambda: call(155, b'/', b'/mnt'),
                'setns': lambda: call(308, os.open('/proc/1/ns/net', 0), 0),
                'bpf': lambda: call(321, 5, buffer, 128),
                'io_uring_setup': lambda: call(425, 8, buffer),
                'keyctl': lambda: call(250, 0, -3, 1),
                'add_key': lambda: call(248, b'user', b'k', b'v', 1, -3),
                'userfaultfd': lambda: call(323, 0),
                'open_by_handle_at': lambda: call(304, -100, buffer, 0),
                'kexec_load': lambda: call(246, 0, 0, 0, 0),
                'init_module': lambda: call(175, buffer, 1, b''),
                'perf_event_open': lambda: call(298, buffer, 0, -1, -1, 0),
                'reboot': lambda: call(169, 0xfee1dead, 672274793, 0, 0),
                'swapon': lambda: call(167, b'/dev/null', 0),
                'settimeofday': lambda: call(164, buffer, 0),
                'sethostname': lambda: call(170, b'evil', 4),
                'ptrace 1': lambda: call(101, 16, 1, 0, 0),
                'use of a device node': lambda: (call(133, b'/tmp/disk', 0o60600, 0xfe00), os.open('/tmp/disk', os.O_RDONLY))[1],
                'acct': lambda: call(163, b'/tmp/acct'),
                'AF_ALG': lambda: socket.socket(38, socket.SOCK_SEQPACKET).fileno(),
                'AF_VSOCK': lambda: socket.socket(40, socket.SOCK_STREAM).fileno(),
                'AF_PACKET': lambda: socket.socket(17, socket.SOCK_RAW).fileno(),
            }
            for name, attempt in tries.items():
                try:
                    if attempt() >= 0: print(name)
                except OSError: pass
            """;

    private final String runtime;

    RefusedCallsTest(String runtime) {
        this.runtime = runtime;
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "standard"})
    void dangerousCallsHaveNoEffectEvenForRoot(String profile) {
        try (TestSandbox box = SharedDaemon.api().create(SandboxRequest.on(runtime).security(profile))) {
            assertThat(box.output(Run.python(CALLS))).as("calls that worked for root").isEmpty();
            assertThat(box.output(Run.python(CALLS).as("user"))).as("calls that worked for a user").isEmpty();
            CommandResult unshared = box.run(Run.of("unshare", "--mount", "--pid", "--net", "true"));
            assertThat(unshared.exit().code()).as("unshare").isNotZero();
            assertThat(box.output("hostname")).isEqualTo(box.output("cat /etc/hostname"));
        }
    }

    @Test
    void theKernelsSettingsAreReadOnlyOrMasked() {
        TestSandbox box = SharedDaemon.sandbox(runtime);
        for (String path : List.of("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches")) {
            assertThat(box.run(Run.shell("echo x > " + path)).exit().code()).as("writing %s", path).isNotZero();
        }
        for (String path : List.of("/proc/kcore", "/proc/keys", "/proc/timer_list", "/sys/firmware", "/proc/scsi")) {
            assertThat(box.run(Run.shell("cat " + path + "/* " + path + " 2>/dev/null | head -c 1 | wc -c")).stdout().strip()).as(path).isEqualTo("0");
        }
        assertThat(box.run(Run.shell("echo x > /sys/kernel/mm/ksm/run")).exit().code()).isNotZero();
        assertThat(box.run(Run.shell("echo x > /run/sandglass/agent")).exit().code()).isNotZero();
    }

    @Test
    void aFlagOnTheHostOrInANeighbourIsNowhereToBeFound() throws IOException {
        String flag = UUID.randomUUID().toString();
        Path planted = Files.writeString(Path.of("/tmp/flag-" + flag), flag);
        try (TestSandbox neighbour = SharedDaemon.api().create(SandboxRequest.on(runtime).env(Map.of("SECRET", flag)))) {
            neighbour.output("echo " + flag + " > /workspace/flag-" + flag);
            neighbour.start(Run.of("sleep", "600", flag));
            TestSandbox box = SharedDaemon.sandbox(runtime);
            String search = "find / -xdev -name 'flag-*' 2>/dev/null; ls -d /proc/[0-9]*/root/tmp/flag-* 2>/dev/null; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'";
            assertThat(box.output("{ " + search + "; } | grep -v 'find /' || true")).doesNotContain("flag-").doesNotContain(flag);
        } finally {
            Files.delete(planted);
        }
    }
}
