package dev.sandglass.network.oci;

import dev.sandglass.engine.oci.ImageSource;
import dev.sandglass.engine.oci.Login;
import dev.sandglass.engine.oci.Reference;
import dev.sandglass.engine.oci.Registries;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Container registries over HTTP. Thread-safe. */
public final class HttpRegistries implements Registries {
    /** Whom this machine trusts. */
    public static final Path OF_THE_HOST = Path.of("/etc/ssl/certs/ca-certificates.crt");

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration DOCUMENT = Duration.ofMinutes(5);

    private final Path trusted;
    private final LoginFiles logins;
    private final Duration patience;
    private final Duration document;

    /**
     * @param trusted a file with the certificates that registries are held to
     * @param loginFile in which the daemon's user keeps who he is at registries
     */
    public HttpRegistries(Path trusted, Path loginFile) {
        this(trusted, loginFile, PATIENCE, DOCUMENT);
    }

    /**
     * @param patience for an answer, and for more of one that has begun
     * @param document in which all of what is small has to come
     */
    HttpRegistries(Path trusted, Path loginFile, Duration patience, Duration document) {
        this.trusted = trusted;
        this.logins = new LoginFiles(loginFile);
        this.patience = patience;
        this.document = document;
    }

    @Override
    public ImageSource open(Reference reference, Optional<Login> login) {
        Optional<Login> known = login.or(() -> logins.find(reference.registry()));
        return new RegistryImage(reference, new Exchange(reference.registry(), known, HostTrust.of(trusted), patience, document));
    }
}
