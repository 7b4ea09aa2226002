package dev.sandglass.pool.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostCertificatesTest {
    @TempDir
    Path host;

    private HostCertificates certificates;
    private List<String> real;

    @BeforeEach
    void takeCertificatesOfThisHost() throws Exception {
        certificates = new HostCertificates(
                host.resolve("bundle.crt"),
                Files.createDirectories(host.resolve("packaged/mozilla")),
                Files.createDirectories(host.resolve("local")));
        var store = KeyStore.getInstance(
                Path.of(System.getProperty("java.home"), "lib/security/cacerts").toFile(), (char[]) null);
        real = Collections.list(store.aliases()).stream().sorted().limit(4).map(alias -> pem(store, alias)).toList();
    }

    @Test
    void certificatesInTheirOwnFilesAndInTheBundleAreFoundOnce() throws IOException {
        Files.writeString(certificates.packaged().resolve("root.crt"), real.get(0));
        Files.writeString(certificates.local().resolve("company.crt"), real.get(1));
        Files.writeString(
                certificates.bundle(),
                "# the root, wrapped otherwise\n" + wrapped(real.get(0), 76) + real.get(1) + "\n" + real.get(2) + "\n");
        assertThat(certificates.added()).containsExactly(real.get(1), real.get(2));
    }

    @Test
    void aBundleIsLeftAloneWhereNothingTellsWhatThePackageHas() throws IOException {
        Files.writeString(certificates.bundle(), real.get(0));
        assertThat(certificates.added()).isEmpty();
    }

    @Test
    void brokenCertificatesAreLeftOut() throws IOException {
        Files.writeString(
                certificates.local().resolve("broken.crt"), "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n");
        Files.writeString(certificates.local().resolve("readme.txt"), real.get(3));
        assertThat(certificates.added()).isEmpty();
    }

    private static String pem(KeyStore store, String alias) {
        try {
            byte[] encoded = Objects.requireNonNull(store.getCertificate(alias)).getEncoded();
            return block(encoded, 64);
        } catch (GeneralSecurityException problem) {
            throw new AssertionError(problem);
        }
    }

    private static String wrapped(String pem, int width) {
        return block(Base64.getMimeDecoder().decode(pem.replaceAll("-----[^-]+-----", "")), width) + "\n";
    }

    private static String block(byte[] encoded, int width) {
        return "-----BEGIN CERTIFICATE-----\n" + Base64.getMimeEncoder(width, new byte[] {'\n'}).encodeToString(encoded)
                + "\n-----END CERTIFICATE-----";
    }
}
