package dev.sandglass.pool.image;

import dev.sandglass.linux.ChildProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes the small files that make a plain root a sandbox's: identity, sudo, systemctl, pip, apt. */
final class ImageFiles {
    private final Path root;

    ImageFiles(Path root) {
        this.root = root;
    }

    void write(BuildInput input) throws IOException {
        put("etc/hostname", "rw-r--r--", "sandbox\n");
        put("etc/hosts", "rw-r--r--", "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n");
        put("etc/resolv.conf", "rw-r--r--", "# Sandglass puts the sandbox's resolver here.\n");
        put("etc/machine-id", "r--r--r--", "");
        put("etc/default/locale", "rw-r--r--", "LANG=C.UTF-8\n");
        put("etc/sudoers.d/sandglass", "r--r-----", "user ALL=(ALL:ALL) NOPASSWD: ALL\n");
        put("etc/pip.conf", "rw-r--r--", """
                # The sandbox is the environment: installing into the system is fine here.
                [global]
                break-system-packages = true
                root-user-action = ignore
                disable-pip-version-check = true
                """);
        put("usr/sbin/policy-rc.d", "rwxr-xr-x", """
                #!/bin/sh
                # Packages start their services through systemctl, where the sandbox's first process answers it, and not at all elsewhere.
                [ -d /run/systemd/system ] || exit 101
                exit 0
                """);
        link(ImageCheck.SYSTEMCTL, "/run/sandglass/agent");
        writeSources(input);
    }

    /** The host's sources without its secrets, and the keys that they name. */
    private void writeSources(BuildInput input) throws IOException {
        List<String> lines = new ArrayList<>();
        for (AptSource source : input.sources()) {
            AptSource inside = source.withoutSecrets();
            Optional<String> keyring = source.signedBy();
            if (keyring.isPresent()) {
                inside = inside.signedBy(putKeyring(Path.of(keyring.get())));
            }
            lines.add(inside.toLine());
        }
        try (DirectoryStream<Path> fromBuild = Files.newDirectoryStream(root.resolve("etc/apt/sources.list.d"))) {
            for (Path file : fromBuild) {
                Files.delete(file);
            }
        }
        put("etc/apt/sources.list", "rw-r--r--", String.join("\n", lines) + "\n");
        copyTrustedKeys();
        if (hostIgnoresExpiry()) {
            put("etc/apt/apt.conf.d/99sandglass", "rw-r--r--", "Acquire::Check-Valid-Until \"false\";\n");
        }
    }

    /** Keyrings of packages keep their path, others go where local ones belong. */
    private String putKeyring(Path keyring) throws IOException {
        Path inside = root.resolve(Path.of("/").relativize(keyring));
        if (Files.exists(inside, LinkOption.NOFOLLOW_LINKS)) {
            return keyring.toString();
        }
        String name = "etc/apt/keyrings/" + keyring.getFileName();
        Files.createDirectories(root.resolve("etc/apt/keyrings"));
        put(name, Files.readAllBytes(keyring), "rw-r--r--");
        return "/" + name;
    }

    private void copyTrustedKeys() throws IOException {
        Path trusted = Path.of("/etc/apt/trusted.gpg.d");
        if (!Files.isDirectory(trusted)) {
            return;
        }
        try (DirectoryStream<Path> keys = Files.newDirectoryStream(trusted, "*.{gpg,asc}")) {
            for (Path key : keys) {
                Path inside = root.resolve("etc/apt/trusted.gpg.d").resolve(key.getFileName());
                if (!Files.exists(inside, LinkOption.NOFOLLOW_LINKS)) {
                    put(root.relativize(inside).toString(), Files.readAllBytes(key), "rw-r--r--");
                }
            }
        }
    }

    private static boolean hostIgnoresExpiry() throws IOException {
        Process process = ChildProcess.start(new ProcessBuilder("apt-config", "dump", "Acquire::Check-Valid-Until"));
        process.getOutputStream().close();
        try (var lines = process.inputReader()) {
            return lines.lines().anyMatch(line -> line.contains("\"false\"") || line.contains("\"0\""));
        }
    }

    /** To where it is in every sandbox. */
    private void link(String path, String target) throws IOException {
        Path file = root.resolve(path);
        Files.deleteIfExists(file);
        Files.createSymbolicLink(file, Path.of(target));
    }

    private void put(String path, String permissions, String text) throws IOException {
        put(path, text.getBytes(StandardCharsets.UTF_8), permissions);
    }

    /** Replaces whatever is there, a link too. */
    private void put(String path, byte[] content, String permissions) throws IOException {
        Path file = root.resolve(path);
        Files.deleteIfExists(file);
        Files.write(file, content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
