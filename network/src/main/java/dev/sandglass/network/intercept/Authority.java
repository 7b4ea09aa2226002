package dev.sandglass.network.intercept;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/** The authority that a sandbox trusts for what its gateway looks into. No sandbox sees its key. Thread-safe. */
public final class Authority {
    private static final Instant SINCE = Instant.parse("2020-01-01T00:00:00Z");
    private static final Instant UNTIL = Instant.parse("2049-12-31T00:00:00Z");
    private static final Duration LEAF = Duration.ofDays(30);
    /** Clocks of sandboxes that were captured may be behind. */
    private static final Duration BEFORE = Duration.ofDays(2);
    private static final String SIGNATURE = "SHA256withECDSA";
    private static final int MOST_CONTEXTS = 256;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final char[] NO_PASSWORD = new char[0];

    private final PrivateKey key;
    private final X509Certificate certificate;
    /** Of all that it vouches for; most sandboxes never need one. */
    private @Nullable KeyPair leafKey;
    private final Map<String, Context> contexts = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Context> eldest) {
            return size() > MOST_CONTEXTS;
        }
    };

    private record Context(SSLContext context, Instant until) {}

    private Authority(PrivateKey key, X509Certificate certificate) {
        this.key = key;
        this.certificate = certificate;
    }

    /** With the same key and name as ever, so that who trusted it once trusts it now. */
    static Authority of(String word, KeyPair pair) throws IOException {
        try {
            X500Name subject = new X500Name("CN=Sandglass gateway " + word);
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(subject, BigInteger.ONE, Date.from(SINCE), Date.from(UNTIL), subject, pair.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
            return new Authority(pair.getPrivate(), signed(builder, pair.getPrivate()));
        } catch (GeneralSecurityException | OperatorCreationException problem) {
            throw new IOException("No authority can be made: " + problem.getMessage(), problem);
        }
    }

    /** What a sandbox has to trust, as PEM. */
    public String certificate() throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(certificate);
        }
        return text.toString();
    }

    /** To be a host of that name, or of that address, towards the sandbox. */
    synchronized SSLContext context(String host, boolean isAddress) throws IOException {
        Instant now = Instant.now();
        Context known = contexts.get(host);
        if (known == null || known.until.isBefore(now)) {
            try {
                known = new Context(mint(host, isAddress), now.plus(LEAF.dividedBy(2)));
            } catch (GeneralSecurityException | OperatorCreationException problem) {
                throw new IOException("No certificate for " + host + ": " + problem.getMessage(), problem);
            }
            contexts.put(host, known);
        }
        return known.context;
    }

    private SSLContext mint(String host, boolean isAddress) throws GeneralSecurityException, IOException, OperatorCreationException {
        X500Name issuer = X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
        Instant now = Instant.now();
        KeyPair pair = leafKey == null ? keyPair() : leafKey;
        leafKey = pair;
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                issuer, new BigInteger(128, RANDOM), Date.from(now.minus(BEFORE)), Date.from(now.plus(LEAF)), new X500Name("CN=Sandglass"), pair.getPublic());
        builder.addExtension(Extension.subjectAlternativeName, true, new GeneralNames(new GeneralName(isAddress ? GeneralName.iPAddress : GeneralName.dNSName, host)));
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
        builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
        X509Certificate leaf = signed(builder, key);
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        store.setKeyEntry("leaf", pair.getPrivate(), NO_PASSWORD, new X509Certificate[] {leaf});
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    private static X509Certificate signed(JcaX509v3CertificateBuilder builder, PrivateKey with) throws OperatorCreationException, GeneralSecurityException {
        return new JcaX509CertificateConverter().getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(with)));
    }

    private static KeyPair keyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }
}
