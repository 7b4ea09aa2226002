package dev.sandglass.runtime.container;

import dev.sandglass.runtime.oci.SandboxDirectory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How CRIU calls what PID 1 has open of its sandbox's directory: input, output and log, the descriptors 0, 1 and 2 at its launch. */
record SandboxStreams(long pid, SandboxDirectory directory) {
    private static final String MOUNT = "mnt_id:";

    List<String> keys() throws IOException {
        List<String> keys = new ArrayList<>();
        for (Path file : List.of(directory.in(), directory.out(), directory.log())) {
            keys.add(key(file));
        }
        return keys;
    }

    private String key(Path file) throws IOException {
        Path process = Path.of("/proc", Long.toString(pid));
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path descriptor : descriptors) {
                if (Files.exists(descriptor) && Files.isSameFile(descriptor, file)) {
                    long mount = mount(process.resolve("fdinfo").resolve(descriptor.getFileName()));
                    long inode = ((Number) Files.getAttribute(file, "unix:ino")).longValue();
                    return "file[" + Long.toHexString(mount) + ":" + Long.toHexString(inode) + "]";
                }
            }
        }
        throw new IOException("PID 1 has lost " + file.getFileName());
    }

    private static long mount(Path facts) throws IOException {
        for (String line : Files.readAllLines(facts)) {
            if (line.startsWith(MOUNT)) {
                return Long.parseLong(line.substring(MOUNT.length()).strip());
            }
        }
        throw new IOException("the kernel does not tell the mount of a descriptor");
    }
}
