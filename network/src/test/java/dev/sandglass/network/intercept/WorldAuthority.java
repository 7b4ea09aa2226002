package dev.sandglass.network.intercept;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** An authority as servers and clients of tests use it. */
public final class WorldAuthority {
    private WorldAuthority() {}

    /** To be the host of a name. */
    public static SSLContext context(Authority authority, String name) throws IOException {
        return authority.context(name, false);
    }

    /** To trust it and nobody else. */
    private static KeyStore trust(Authority authority) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            byte[] text = authority.certificate().getBytes(StandardCharsets.US_ASCII);
            store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(text)));
            return store;
        } catch (GeneralSecurityException problem) {
            throw new IOException(problem);
        }
    }

    /** The side of a client that trusts it and nobody else. */
    public static SSLContext client(Authority authority) throws IOException {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trust(authority));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException problem) {
            throw new IOException(problem);
        }
    }
}
