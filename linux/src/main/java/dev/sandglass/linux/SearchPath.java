package dev.sandglass.linux;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where programs are looked for, in this order.
 *
 * @param text directories with colons in between; those that are not absolute are left out
 */
public record SearchPath(String text) {
    /** Where the system has its programs, whatever the environment says. */
    public static final SearchPath SYSTEM = new SearchPath("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");

    /** The path of this process, and where the system's own programs are. */
    public static SearchPath ofEnvironment() {
        return new SearchPath(System.getenv().getOrDefault("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin");
    }

    public Optional<Path> find(String program) {
        return Stream.of(text.split(":"))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, program))
                .filter(file -> Files.isExecutable(file) && !Files.isDirectory(file))
                .findFirst();
    }
}
