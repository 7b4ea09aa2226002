package dev.sandglass.pool.image;

import dev.sandglass.linux.SmallFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Quick looks at a root: what every sandbox needs is there. Nothing in it is run. */
final class ImageCheck {
    private static final List<String> FILES = List.of(
            "usr/bin/apt-get",
            "usr/bin/bash",
            "usr/bin/curl",
            "usr/bin/git",
            "usr/bin/pip3",
            "usr/bin/python",
            "usr/bin/python3",
            "usr/bin/ssh",
            "usr/bin/sudo",
            "usr/sbin/sshd",
            "etc/apt/sources.list",
            "etc/machine-id",
            "etc/pip.conf",
            "etc/ssl/certs/ca-certificates.crt",
            "etc/sudoers.d/sandglass",
            "usr/sbin/policy-rc.d",
            "home/user",
            "workspace");

    /** The agent by another name; images that were made before it served services have none. */
    static final String SYSTEMCTL = "usr/bin/systemctl";

    /** These must be no links: nothing outside of the image is read. */
    private static final List<String> DIRECTORIES = List.of("usr", "etc", "etc/ssh");

    private static final int USERS_BYTES = 1 << 20;

    private ImageCheck() {}

    /** What is wrong with the root, if anything. */
    static Optional<String> problem(Path root) throws IOException {
        for (String directory : DIRECTORIES) {
            if (!Files.isDirectory(root.resolve(directory), LinkOption.NOFOLLOW_LINKS)) {
                return Optional.of("lacks the directory /" + directory);
            }
        }
        for (String file : FILES) {
            if (!Files.exists(root.resolve(file), LinkOption.NOFOLLOW_LINKS)) {
                return Optional.of("lacks /" + file);
            }
        }
        Optional<byte[]> users = SmallFile.find(root, "etc/passwd", USERS_BYTES);
        if (users.isEmpty() || new String(users.get(), StandardCharsets.ISO_8859_1).lines().noneMatch(line -> line.startsWith("user:x:1000:1000:"))) {
            return Optional.of("lacks the user with id 1000");
        }
        try (var keys = Files.newDirectoryStream(root.resolve("etc/ssh"), "ssh_host_*")) {
            return keys.iterator().hasNext() ? Optional.of("holds ssh host keys") : Optional.empty();
        }
    }

    /** Whether it is what a build makes today: an older one still does for what was begun with it, but a new one should be made. */
    static boolean isUpToDate(Path root) {
        return Files.isSymbolicLink(root.resolve(SYSTEMCTL));
    }

    /** Name and version of each installed package. */
    static List<String> packages(Path root) throws IOException {
        List<String> packages = new ArrayList<>();
        String name = "";
        for (String line : Files.readAllLines(root.resolve("var/lib/dpkg/status"))) {
            if (line.startsWith("Package: ")) {
                name = line.substring("Package: ".length());
            } else if (line.startsWith("Version: ")) {
                packages.add(name + " " + line.substring("Version: ".length()));
            }
        }
        packages.sort(null);
        return packages;
    }
}
