package dev.sandglass.pool.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the package sources of a host, in both of apt's formats. */
final class AptSources {
    private AptSources() {}

    /** All enabled sources of binary packages below {@code /etc/apt}, in apt's order. */
    static List<AptSource> read(Path aptDirectory) throws IOException {
        List<AptSource> sources = new ArrayList<>();
        Path main = aptDirectory.resolve("sources.list");
        if (Files.isReadable(main)) {
            sources.addAll(OneLineSources.parse(text(main)));
        }
        for (Path file : parts(aptDirectory.resolve("sources.list.d"))) {
            String text = text(file);
            sources.addAll(file.toString().endsWith(".list") ? OneLineSources.parse(text) : Deb822Sources.parse(text));
        }
        return sources;
    }

    /** Comments may be in any encoding. */
    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    private static List<Path> parts(Path directory) throws IOException {
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*.{list,sources}")) {
                entries.forEach(files::add);
            }
            files.sort(null);
        }
        return files;
    }
}
