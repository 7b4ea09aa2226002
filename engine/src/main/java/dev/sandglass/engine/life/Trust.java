package dev.sandglass.engine.life;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * What a sandbox with a network trusts: its gateway is the server of what it looks into, with a certificate of an authority that this sandbox has, and its copies with memory, whose
 * processes know it already. Which one that is stands on its disk.
 */
final class Trust {
    private static final String BUNDLE = "etc/ssl/certs/ca-certificates.crt";
    private static final Path OF_HOST = Path.of("/etc/ssl/certs/ca-certificates.crt");
    private static final String SOURCE = "usr/local/share/ca-certificates/sandglass-gateway.crt";
    private static final String WORD = "etc/sandglass/authority";
    private static final String MARK = "# The gateway of this sandbox\n";
    private static final Pattern WRITTEN = Pattern.compile("[0-9a-f]{32}");
    private static final int WORD_BYTES = 16;
    private static final long MOST = 4 << 20;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** For programs that bring certificates of their own, or look elsewhere. */
    private static final List<String> FOR_PROGRAMS =
            List.of("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "AWS_CA_BUNDLE", "CARGO_HTTP_CAINFO");

    private final UnaryOperator<String> certificate;

    /** @param certificate that of an authority, as PEM */
    Trust(UnaryOperator<String> certificate) {
        this.certificate = certificate;
    }

    static String fresh() {
        byte[] bytes = new byte[WORD_BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Which authority the layers of a sandbox have files of; another if they have none. */
    static String known(List<Path> layers) throws IOException {
        return read(layers, WORD).map(String::strip).filter(word -> WRITTEN.matcher(word).matches()).orElseGet(Trust::fresh);
    }

    /** Writes what lets all programs of a new sandbox trust an authority, and no longer that of what it is a copy of. */
    void write(String authority, Path upper, List<Path> layers) throws IOException {
        String own = certificate.apply(authority);
        String all = read(layers, BUNDLE).orElseGet(Trust::ofHost);
        int earlier = all.indexOf(MARK);
        Files.writeString(place(upper, layers, BUNDLE), (earlier < 0 ? all : all.substring(0, earlier)) + MARK + own);
        Files.writeString(place(upper, layers, SOURCE), own);
        Files.writeString(place(upper, layers, WORD), authority + "\n");
    }

    /** What this machine trusts: an image from elsewhere may have no certificates, or have them where only its own programs look. */
    private static String ofHost() {
        try {
            return Files.size(OF_HOST) <= MOST ? Files.readString(OF_HOST, StandardCharsets.ISO_8859_1) : "";
        } catch (IOException none) {
            return "";
        }
    }

    /**
     * The environment in which programs find it, where nothing else was asked for.
     *
     * @param more what they need to find their way besides
     */
    static Map<String, String> environment(Map<String, String> more, Map<String, String> asked) {
        Map<String, String> all = new TreeMap<>(more);
        FOR_PROGRAMS.forEach(name -> all.put(name, "/" + BUNDLE));
        all.putAll(asked);
        return all;
    }

    /** Where to write a file of the upper tree, in directories that hide none of what is below them. */
    private static Path place(Path upper, List<Path> layers, String file) throws IOException {
        Path relative = Path.of(file);
        for (int depth = 1; depth < relative.getNameCount(); depth++) {
            Path part = relative.subpath(0, depth);
            if (!Files.exists(upper.resolve(part), LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(upper.resolve(part));
                Groundwork.inherit(upper.resolve(part), layers.stream().filter(layer -> isPlain(layer, part)).map(layer -> layer.resolve(part)).toList());
            }
        }
        return upper.resolve(relative);
    }

    /** A file as the topmost layer has it. What is there may be hostile: it is read if it is a plain file of a sane size, by directories that are none but such. */
    private static Optional<String> read(List<Path> layers, String file) throws IOException {
        Path relative = Path.of(file);
        for (Path layer : layers) {
            if (!isPlain(layer, relative)) {
                continue;
            }
            Path found = layer.resolve(relative);
            if (Files.exists(found, LinkOption.NOFOLLOW_LINKS)) {
                boolean sane = Files.isRegularFile(found, LinkOption.NOFOLLOW_LINKS) && Files.size(found) <= MOST;
                return sane ? Optional.of(Files.readString(found, StandardCharsets.ISO_8859_1)) : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static boolean isPlain(Path layer, Path relative) {
        for (int depth = 1; depth < relative.getNameCount(); depth++) {
            if (!Files.isDirectory(layer.resolve(relative.subpath(0, depth)), LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
        }
        return true;
    }
}
