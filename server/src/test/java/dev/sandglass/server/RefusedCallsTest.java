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
            import ctypes, os, socket, struct
            libc = ctypes.CDLL(None, use_errno=True)
            def call(number, *arguments):
                ctypes.set_errno(0)
                return libc.syscall(ctypes.c_long(number), *arguments)
            buffer = ctypes.create_string_buffer(256)
            vector = ctypes.create_string_buffer(struct.pack('2Q', ctypes.addressof(buffer), 8))
            def by_handle():
                handle = ctypes.create_string_buffer(struct.pack('Ii', 128, 0), 256)
                if call(303, -100, b'/etc/hostname', handle, ctypes.byref(ctypes.c_int()), 0) < 0: return -1
                return call(304, os.open('/', 0), handle, 0)
            def host_log():
                log = ctypes.create_string_buffer(65536)
                return call(103, 3, log, 65536) > 0 and b'Linux version' in log.raw
            tries = {
                'mount': lambda: call(165, b'none', b'/mnt', b'tmpfs', 0, 0),
                'umount': lambda: call(166, b'/proc', 2),
                'pivot_root': lambda: call(155, b'/', b'/mnt'),
                'open_tree': lambda: call(428, -100, b'/', 1),
                'move_mount': lambda: call(429, -100, b'/proc', -100, b'/mnt', 0),
                'fsopen': lambda: call(430, b'tmpfs', 0),
                'fspick': lambda: call(433, -100, b'/', 0),
                'mount_setattr': lambda: call(442, -100, b'/', 0, buffer, 32),
                'unshare of users': lambda: call(272, 0x10000000),
                'unshare of mounts': lambda: call(272, 0x20000),
                'clone with own users': lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0),
                'setns': lambda: call(308, os.open('/proc/1/ns/net', 0), 0),
                'setns to where it is': lambda: call(308, os.open('/proc/self/ns/net', 0), 0),
                'bpf program': lambda: call(321, 5, buffer, 128),
                'bpf map': lambda: call(321, 0, ctypes.create_string_buffer(struct.pack('4I', 2, 4, 4, 1), 128), 128),
                'io_uring_setup': lambda: call(425, 8, buffer),
                'io_uring_register': lambda: call(427, -1, 0, 0, 0),
                'keyctl': lambda: call(250, 0, -3, 1),
                'add_key': lambda: call(248, b'user', b'k', b'v', 1, -3),
                'request_key': lambda: call(249, b'user', b'k', 0, -3),
                'userfaultfd': lambda: call(323, 0),
                'userfaultfd of faults in user mode': lambda: call(323, 1),
                'name_to_handle_at and back': by_handle,
                'kexec_load': lambda: call(246, 0, 0, 0, 0),
                'kexec_file_load': lambda: call(320, os.open('/etc/hostname', 0), -1, 0, b'', 4),
                'init_module': lambda: call(175, buffer, 1, b''),
                'finit_module': lambda: call(313, os.open('/etc/hostname', 0), b'', 0),
                'delete_module': lambda: call(176, b'none', 0),
                'perf_event_open': lambda: call(298, buffer, 0, -1, -1, 0),
                'reboot': lambda: call(169, 0xfee1dead, 672274793, 0, 0),
                'swapon': lambda: call(167, b'/dev/null', 0),
                'swapoff': lambda: call(168, b'/dev/null'),
                'settimeofday': lambda: call(164, buffer, 0),
                'clock_settime': lambda: call(227, 0, buffer),
                'adjtimex': lambda: call(159, ctypes.create_string_buffer(struct.pack('I', 0x4000), 256)),
                'sethostname': lambda: call(170, b'evil', 4),
                'setdomainname': lambda: call(171, b'evil', 4),
                'ptrace 1': lambda: call(101, 16, 1, 0, 0),
                'process_vm_readv 1': lambda: call(310, 1, vector, 1, vector, 1, 0),
                'kcmp 1': lambda: call(312, 1, os.getpid(), 0, 0, 0),
                'iopl': lambda: call(172, 3),
                'ioperm': lambda: call(173, 0x80, 1, 1),
                'quotactl': lambda: call(179, 0x800002 << 8, 0, 0, buffer),
                'fanotify_init': lambda: call(300, 0, 0),
                'syslog': lambda: 1 if host_log() else -1,
                'use of a device node': lambda: (call(133, b'/tmp/disk', 0o60600, 0xfe00), os.open('/tmp/disk', os.O_RDONLY))[1],
                'acct': lambda: call(163, b'/tmp/acct'),
                'AF_ALG': lambda: socket.socket(38, socket.SOCK_SEQPACKET).fileno(),
                'AF_VSOCK': lambda: socket.socket(40, socket.SOCK_STREAM).fileno(),
                'AF_VSOCK datagrams': lambda: socket.socket(40, socket.SOCK_DGRAM).fileno(),
                'AF_PACKET': lambda: socket.socket(17, socket.SOCK_RAW).fileno(),
                'AF_KEY': lambda: socket.socket(15, socket.SOCK_RAW, 2).fileno(),
                'raw': lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).fileno(),
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
