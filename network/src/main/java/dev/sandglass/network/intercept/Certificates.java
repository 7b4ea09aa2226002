package dev.sandglass.network.intercept;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

/** Certificates in a file, one after the other, as Debian keeps those that a host trusts. */
final class Certificates {
    private Certificates() {}

    /** None if there is no file: then no server is trusted. */
    static KeyStore read(Path file) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            if (Files.exists(file)) {
                int number = 0;
                try (InputStream text = Files.newInputStream(file)) {
                    for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(text)) {
                        store.setCertificateEntry("trusted-" + number++, each);
                    }
                }
            }
            return store;
        } catch (GeneralSecurityException problem) {
            throw new IOException("The certificates in " + file + " cannot be read: " + problem.getMessage(), problem);
        }
    }
}
