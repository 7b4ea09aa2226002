package dev.sandglass.network.oci;

import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Whom the host trusts, as TLS clients need it. Stateless. */
final class HostTrust {
    private HostTrust() {}

    /** @param bundle certificates as PEM */
    static SSLContext of(Path bundle) {
        try (InputStream in = Files.newInputStream(bundle)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca-" + number++, each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException problem) {
            throw StorageFailure.of("The certificates in " + bundle + " cannot be used", new IOException(problem));
        } catch (IOException problem) {
            throw StorageFailure.of("The certificates in " + bundle + " cannot be read", problem);
        }
    }
}
