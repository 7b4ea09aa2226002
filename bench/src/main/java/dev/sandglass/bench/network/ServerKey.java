package dev.sandglass.bench.network;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Who the servers of a bench say that they are, made for one run.
 *
 * @param certificate a file with it (PEM)
 */
record ServerKey(SSLContext identity, Path certificate) {
    private static final String PASSWORD = "bench-only";
    private static final String ALIAS = "server";
    private static final long PATIENCE_SECONDS = 30;

    /** Makes one for an address, in a directory that is the caller's to remove. */
    static ServerKey make(Path directory, String address) throws IOException {
        Path file = directory.resolve("server.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", ALIAS, "-keyalg", "EC", "-groupname", "secp256r1",
                        "-dname", "CN=bench", "-ext", "san=ip:" + address, "-ext", "bc:critical=ca:true", "-validity", "2", "-storetype", "PKCS12", "-keystore", file.toString(), "-storepass", PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!hasEnded(keytool) || keytool.exitValue() != 0) {
            throw new IOException("keytool made no key for the servers of the bench");
        }
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, PASSWORD.toCharArray());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(store.getCertificate(ALIAS).getEncoded());
            Path certificate = Files.writeString(directory.resolve("server.pem"), "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n");
            return new ServerKey(context, certificate);
        } catch (GeneralSecurityException problem) {
            throw new IOException(problem);
        }
    }

    /** Waits for it; it is ended by force when it takes too long. */
    private static boolean hasEnded(Process process) throws IOException {
        try {
            if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return true;
            }
            process.destroyForcibly();
            return false;
        } catch (InterruptedException stopped) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", stopped);
        }
    }
}
