package dev.sandglass.pool.image;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The certificates that the host's owner added to those of the distribution: as files of their own, or written straight
 * into the bundle. They are found by comparing with the files of the host's own package, so that a root which a newer
 * package no longer trusts does not come back.
 */
record HostCertificates(Path bundle, Path packaged, Path local) {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----", Pattern.DOTALL);

    static HostCertificates ofHost() {
        return new HostCertificates(
                Path.of("/etc/ssl/certs/ca-certificates.crt"),
                Path.of("/usr/share/ca-certificates"),
                Path.of("/usr/local/share/ca-certificates"));
    }

    /** The added certificates, each as PEM text. */
    List<String> added() throws IOException {
        Set<String> added = new LinkedHashSet<>();
        for (Path file : files(local)) {
            added.addAll(blocks(file));
        }
        Set<Certificate> known = new LinkedHashSet<>();
        for (Path file : files(packaged)) {
            blocks(file).forEach(block -> known.add(Certificate.of(block)));
        }
        // Without the package's files nothing tells the owner's certificates from the distribution's.
        if (!known.isEmpty() && Files.isReadable(bundle)) {
            added.forEach(block -> known.add(Certificate.of(block)));
            blocks(bundle).stream().filter(block -> !known.contains(Certificate.of(block))).forEach(added::add);
        }
        return added.stream().filter(HostCertificates::isReadable).toList();
    }

    /** A certificate by its bytes, however its text is wrapped. */
    private record Certificate(String base64) {
        static Certificate of(String block) {
            return new Certificate(block.replaceAll("-----[^-]+-----|\\s", ""));
        }
    }

    private static boolean isReadable(String block) {
        try {
            CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(block.getBytes(StandardCharsets.US_ASCII)));
            return true;
        } catch (CertificateException broken) {
            return false;
        }
    }

    private static List<String> blocks(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        return BLOCK.matcher(text).results().map(MatchResult::group).toList();
    }

    private static List<Path> files(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> tree = Files.walk(directory)) {
            return tree.filter(path -> path.toString().endsWith(".crt"))
                    .filter(Files::isReadable)
                    .sorted()
                    .toList();
        }
    }
}
