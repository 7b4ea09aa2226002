package dev.sandglass.client.daemon;

import dev.sandglass.client.http.Endpoint;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A daemon to talk to: where it listens, and the token it wants. An empty token is none. */
public record Target(Endpoint endpoint, String token) {
    /** By flags, then SANDGLASS_URL with SANDGLASS_API_KEY or SANDGLASS_TOKEN_FILE, then the local socket and token file. */
    public static Target find(
            @Nullable String url, @Nullable String tokenFile, @Nullable String dataDir, Map<String, String> environment) {
        Places places = Places.of(dataDir, environment);
        String address = url != null ? url : dataDir != null ? "" : environment.getOrDefault("SANDGLASS_URL", "");
        Endpoint endpoint = address.isEmpty() ? new Endpoint.Unix(places.socket()) : parse(address);
        String key = environment.getOrDefault("SANDGLASS_API_KEY", "");
        if (tokenFile != null) {
            key = read(Path.of(tokenFile), true);
        } else if (key.isEmpty() && !environment.getOrDefault("SANDGLASS_TOKEN_FILE", "").isEmpty()) {
            key = read(Path.of(environment.getOrDefault("SANDGLASS_TOKEN_FILE", "")), true);
        } else if (key.isEmpty()) {
            key = read(places.tokenFile(), false);
        }
        return new Target(endpoint, key);
    }

    /** Options that find the same without this environment; a token that is in the environment has to be in the other one too. */
    public static List<String> options(@Nullable String url, @Nullable String tokenFile, @Nullable String dataDir, Map<String, String> environment) {
        String address = url != null ? url : dataDir != null ? "" : environment.getOrDefault("SANDGLASS_URL", "");
        String token = tokenFile != null ? tokenFile : environment.getOrDefault("SANDGLASS_TOKEN_FILE", "");
        String data = dataDir != null ? dataDir : environment.getOrDefault("SANDGLASS_DATA_DIR", "");
        Places places = Places.of(dataDir, environment);
        boolean runsElsewhere = address.isEmpty() && dataDir == null && !environment.getOrDefault("SANDGLASS_RUN_DIR", "").isEmpty();
        List<String> options = new ArrayList<>();
        if (!address.isEmpty() || runsElsewhere) {
            options.addAll(List.of("--url", runsElsewhere ? "unix://" + places.socket() : address));
        }
        if (!token.isEmpty()) {
            options.addAll(List.of("--token-file", Path.of(token).toAbsolutePath().toString()));
        }
        if (!data.isEmpty()) {
            options.addAll(List.of("--data-dir", places.dataDir().toString()));
        }
        return options;
    }

    private static Endpoint parse(String url) {
        try {
            URI uri = new URI(url);
            String scheme = String.valueOf(uri.getScheme());
            if (scheme.equals("unix")) {
                return new Endpoint.Unix(Path.of(uri.getPath()));
            }
            String host = uri.getHost();
            if (host != null && (scheme.equals("http") || scheme.equals("https"))) {
                boolean tls = scheme.equals("https");
                int port = uri.getPort() > 0 ? uri.getPort() : tls ? 443 : 80;
                String plain = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
                return new Endpoint.Tcp(plain, port, tls);
            }
        } catch (URISyntaxException malformed) {
            throw badUrl(url, malformed);
        }
        throw badUrl(url, null);
    }

    private static SandglassException badUrl(String url, @Nullable Exception cause) {
        return new SandglassException(
                ErrorCode.INVALID_REQUEST,
                "url: " + url + " (expected: http://HOST:PORT, https://HOST:PORT or unix:///PATH)",
                "Check --url or SANDGLASS_URL.",
                cause);
    }

    private static String read(Path file, boolean required) {
        try {
            return Files.readString(file).strip();
        } catch (NoSuchFileException absent) {
            if (!required) {
                return "";
            }
            throw unreadable(file, "there is no such file", absent);
        } catch (AccessDeniedException denied) {
            throw unreadable(file, "permission denied", denied);
        } catch (IOException problem) {
            throw unreadable(file, String.valueOf(problem.getMessage()), problem);
        }
    }

    private static SandglassException unreadable(Path file, String why, Exception cause) {
        return new SandglassException(
                ErrorCode.UNAUTHORIZED,
                "The token file " + file + " cannot be read: " + why,
                "Run as the user who owns it (root), or set SANDGLASS_API_KEY.",
                cause);
    }
}
