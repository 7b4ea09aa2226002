package dev.sandglass.network.intercept;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Certificates of every time and of every issuer, such as honest authorities do not give. */
public final class StrangeAuthority {
    private final KeyPair key;
    private final X509Certificate certificate;

    public StrangeAuthority() throws IOException {
        try {
            this.key = keyPair();
            JcaX509v3CertificateBuilder builder = builder("CN=Strange", "CN=Strange", key, Instant.now().minus(Duration.ofDays(100)), Instant.now().plus(Duration.ofDays(100)));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            this.certificate = signed(builder, key.getPrivate());
        } catch (GeneralSecurityException | OperatorCreationException problem) {
            throw new IOException(problem);
        }
    }

    /** From now on it is among those that a file names. */
    public StrangeAuthority trustedIn(Path file) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(certificate);
        }
        Files.writeString(file, text.toString(), StandardOpenOption.APPEND);
        return this;
    }

    /** To be the host of a name, between these times. */
    public SSLContext context(String name, Instant since, Instant until) throws IOException {
        try {
            KeyPair leafKey = keyPair();
            JcaX509v3CertificateBuilder builder = builder("CN=Strange", "CN=" + name, leafKey, since, until);
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName(GeneralName.dNSName, name)));
            X509Certificate leaf = signed(builder, key.getPrivate());
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, new char[0]);
            store.setKeyEntry("leaf", leafKey.getPrivate(), new char[0], new X509Certificate[] {leaf, certificate});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | OperatorCreationException problem) {
            throw new IOException(problem);
        }
    }

    private static JcaX509v3CertificateBuilder builder(String issuer, String subject, KeyPair of, Instant since, Instant until) {
        return new JcaX509v3CertificateBuilder(new X500Name(issuer), BigInteger.valueOf(System.nanoTime()), Date.from(since), Date.from(until), new X500Name(subject), of.getPublic());
    }

    private static X509Certificate signed(JcaX509v3CertificateBuilder builder, PrivateKey with) throws OperatorCreationException, GeneralSecurityException {
        return new JcaX509CertificateConverter().getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(with)));
    }

    private static KeyPair keyPair() throws GeneralSecurityException {
        return KeyPairGenerator.getInstance("EC").generateKeyPair();
    }
}
