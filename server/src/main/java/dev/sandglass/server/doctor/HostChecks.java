package dev.sandglass.server.doctor;

import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.KernelCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel and what it offers. */
final class HostChecks {
    private static final Pattern KERNEL = Pattern.compile("(\\d+)\\.(\\d+).*");
    private static final long ENOUGH_DESCRIPTORS = 4096;

    private HostChecks() {}

    static List<Finding> run() throws IOException {
        List<Finding> findings = new ArrayList<>();
        findings.add(root());
        findings.add(kernel());
        findings.add(filesystem("overlay", "Root filesystems are overlays: `modprobe overlay`."));
        findings.add(userNamespaces());
        findings.add(cgroups());
        findings.add(descriptors());
        findings.add(kernelCounts());
        findings.add(kvm());
        return findings;
    }

    private static Finding root() throws IOException {
        boolean isRoot = status("Uid:").matches("\\d+\\s+0\\s.*");
        return isRoot
                ? Finding.pass("root", "runs as root")
                : Finding.fail("root", "does not run as root", "Sandboxes need mounts, namespaces and cgroups: run it with sudo.");
    }

    private static Finding kernel() {
        String release = System.getProperty("os.version");
        Matcher version = KERNEL.matcher(release);
        boolean known = version.matches();
        int number = known ? Integer.parseInt(version.group(1)) * 1000 + Integer.parseInt(version.group(2)) : 0;
        return number >= 5019
                ? Finding.pass("kernel", release)
                : Finding.fail("kernel", release, "Idmapped overlay layers need Linux 5.19 or newer: use a newer kernel.");
    }

    private static Finding filesystem(String name, String remedy) throws IOException {
        return Files.readString(Path.of("/proc/filesystems")).contains("\t" + name + "\n")
                ? Finding.pass(name, "in the kernel")
                : Finding.fail(name, "not in the kernel", remedy);
    }

    private static Finding userNamespaces() throws IOException {
        Path limit = Path.of("/proc/sys/user/max_user_namespaces");
        // Not readString: it reads a byte first, and the kernel gives the rest of such a file to nobody.
        long most = Files.exists(limit) ? Long.parseLong(Files.readAllLines(limit).getFirst().strip()) : 0;
        return most > 0
                ? Finding.pass("user namespaces", "at most " + most)
                : Finding.fail("user namespaces", "switched off", "The container runtime needs them: `sysctl user.max_user_namespaces=10000`.");
    }

    private static Finding kernelCounts() {
        List<String> low = KernelCounts.low();
        return low.isEmpty()
                ? Finding.pass("kernel counts", "what containers share is more than one can take")
                : Finding.warn(
                        "kernel counts",
                        "containers can take these from each other: " + String.join(", ", low),
                        "`sandglass up` raises them, unless `raise_kernel_counts` is false.");
    }

    private static Finding cgroups() throws IOException {
        Cgroups cgroups = Cgroups.detect();
        Set<String> missing = cgroups.missing();
        return missing.isEmpty()
                ? Finding.pass("cgroups", cgroups.version())
                : Finding.fail("cgroups", cgroups.version() + ", without " + missing, "Limits need these controllers: enable them on the kernel's command line.");
    }

    private static Finding descriptors() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
            if (line.startsWith("Max open files")) {
                String[] columns = line.strip().split("\\s{2,}");
                boolean enough = columns[2].equals("unlimited") || Long.parseLong(columns[2]) >= ENOUGH_DESCRIPTORS;
                return enough
                        ? Finding.pass("descriptors", "at most " + columns[2])
                        : Finding.warn("descriptors", "at most " + columns[2], "Raise the hard limit of open files to run many sandboxes.");
            }
        }
        return Finding.warn("descriptors", "unknown", "");
    }

    private static Finding kvm() {
        return Files.exists(Path.of("/dev/kvm"))
                ? Finding.pass("KVM", "/dev/kvm is there; no runtime of this version uses it")
                : Finding.pass("KVM", "absent; no runtime of this version uses it");
    }

    private static String status(String field) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(field)) {
                return line.substring(field.length()).strip();
            }
        }
        return "";
    }
}
