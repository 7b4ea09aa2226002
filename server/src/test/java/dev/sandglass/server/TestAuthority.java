package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * An authority that nobody on this host trusts, and a certificate of it for the loopback, made by openssl.
 *
 * @param authority its own certificate
 * @param certificate that of the server on the loopback
 */
record TestAuthority(Path authority, Path certificate, Path key) {
    static TestAuthority in(Path directory) throws IOException, InterruptedException {
        Path authority = directory.resolve("authority.pem");
        Path secret = directory.resolve("authority.key");
        Path certificate = directory.resolve("server.pem");
        Path key = directory.resolve("server.key");
        Path request = directory.resolve("server.csr");
        Path names = Files.writeString(directory.resolve("names"), "subjectAltName=IP:127.0.0.1\n");
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test authority", "-addext", "basicConstraints=critical,CA:TRUE", "-keyout", secret.toString(), "-out", authority.toString());
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=loopback", "-keyout", key.toString(), "-out", request.toString());
        openssl("x509", "-req", "-in", request.toString(), "-CA", authority.toString(), "-CAkey", secret.toString(), "-CAcreateserial", "-days", "2", "-extfile", names.toString(), "-out", certificate.toString());
        return new TestAuthority(authority, certificate, key);
    }

    private static void openssl(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(Arrays.asList(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    /** The side of a client that trusts it and nobody else. */
    SSLContext trust() throws IOException {
        try (InputStream text = Files.newInputStream(authority)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(text));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException problem) {
            throw new IOException(problem);
        }
    }
}
