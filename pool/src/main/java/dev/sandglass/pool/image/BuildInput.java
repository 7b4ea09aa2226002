package dev.sandglass.pool.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What a build takes from the host, laid out in a directory for it: package sources with their keys, certificates, and
 * the script that finishes the root.
 *
 * @param sources one line each, with keyrings as paths on the host
 */
record BuildInput(Path directory, String suite, List<AptSource> sources) {
    private static final Path APT = Path.of("/etc/apt");
    private static final Path OS_RELEASE = Path.of("/etc/os-release");

    static String hostSuite() throws IOException {
        return HostRelease.read(OS_RELEASE).suite();
    }

    /** Lays out the input for a suite in a new directory. */
    static BuildInput prepare(Path directory, String suite) throws IOException {
        List<AptSource> found =
                new SuiteSources(HostRelease.read(OS_RELEASE), AptSources.read(APT)).serving(suite);
        if (found.isEmpty()) {
            throw ImageFailure.notBuilt(
                    "no apt source of this host serves the suite " + suite,
                    "Add one to /etc/apt/sources.list.d, or name another suite with `--suite`.",
                    null);
        }
        Files.createDirectory(directory);
        Files.createDirectory(directory.resolve("certificates"));
        BuildInput input = new BuildInput(directory, suite, keysAsFiles(directory, found));
        Files.write(directory.resolve("sources.list"), input.sources.stream().map(AptSource::toLine).toList());
        int number = 0;
        for (String certificate : HostCertificates.ofHost().added()) {
            Files.writeString(input.certificates().resolve("host-" + ++number + ".crt"), certificate + "\n");
        }
        try (InputStream script = Objects.requireNonNull(BuildInput.class.getResourceAsStream("customize.sh"))) {
            Files.copy(script, input.script());
        }
        return input;
    }

    Path sourcesList() {
        return directory.resolve("sources.list");
    }

    Path certificates() {
        return directory.resolve("certificates");
    }

    Path script() {
        return directory.resolve("customize.sh");
    }

    private static List<AptSource> keysAsFiles(Path directory, List<AptSource> sources) throws IOException {
        List<AptSource> result = new ArrayList<>();
        for (AptSource source : sources) {
            if (source.hasInlineKey()) {
                Path key = directory.resolve("key-" + result.size() + ".asc");
                Files.writeString(key, source.signedBy().orElseThrow());
                result.add(source.signedBy(key.toString()));
            } else {
                result.add(source);
            }
        }
        return result;
    }
}
