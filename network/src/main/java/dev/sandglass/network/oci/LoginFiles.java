package dev.sandglass.network.oci;

import dev.sandglass.engine.oci.Login;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.oci.LoginFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who the daemon's user is at registries, from the file that container tools write at a login. It is read anew each time. */
record LoginFiles(Path file) {
    private static final Logger LOG = LoggerFactory.getLogger(LoginFiles.class);
    private static final long MOST = 1 << 20;

    Optional<Login> find(String registry) {
        try {
            if (!Files.isRegularFile(file) || Files.size(file) > MOST) {
                return Optional.empty();
            }
            Map<String, LoginFile.Login> all = Objects.requireNonNullElse(Json.read(LoginFile.class, Files.readAllBytes(file)).auths(), Map.of());
            return all.entrySet().stream()
                    .filter(entry -> host(entry.getKey()).equals(registry))
                    .map(entry -> entry.getValue().auth())
                    .filter(Objects::nonNull)
                    .findFirst()
                    .flatMap(LoginFiles::login);
        } catch (IOException | SandglassException | IllegalArgumentException problem) {
            LOG.warn("The logins in {} cannot be read", file); // not why: that might quote it
            return Optional.empty();
        }
    }

    /** Some tools write the address of the API. */
    private static String host(String key) {
        return key.replaceFirst("^https?://", "").replaceFirst("/.*$", "");
    }

    private static Optional<Login> login(String encoded) {
        String text = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
        int colon = text.indexOf(':');
        return colon <= 0 ? Optional.empty() : Optional.of(new Login(text.substring(0, colon), text.substring(colon + 1)));
    }
}
