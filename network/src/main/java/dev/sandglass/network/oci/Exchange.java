package dev.sandglass.network.oci;

import dev.sandglass.engine.oci.Login;
import dev.sandglass.engine.oci.Refusal;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.oci.TokenAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Requests to one registry, and to where it sends us. Thread-safe. */
final class Exchange implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(15);
    private static final Duration LAYER = Duration.ofHours(2);
    private static final int MOST_REDIRECTS = 5;
    private static final int MOST_TOKEN = 1 << 20;
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
    private static final Pattern LOOPBACK = Pattern.compile("(localhost|127(\\.[0-9]{1,3}){3}|\\[::1])(:[0-9]{1,5})?");
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]{1,65536}");

    private final HttpClient client;
    private final String registry;
    private final boolean isLoopback;
    private final Optional<Login> login;
    private final Duration patience;
    private final Duration document;
    private final Watchdog watchdog = new Watchdog();
    private volatile @Nullable String base;
    private volatile @Nullable String authorization;

    Exchange(String registry, Optional<Login> login, SSLContext trust, Duration patience, Duration document) {
        this.registry = registry;
        this.isLoopback = LOOPBACK.matcher(registry).matches();
        this.login = login;
        this.patience = patience;
        this.document = document;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT)
                .sslContext(trust)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
    }

    /** The body of an answer that is small; {@code image_not_found}, {@code registry_denied} or {@code registry_failed} if there is none. */
    InputStream document(String path, List<String> accepted) {
        return guarded(get(path, accepted), document);
    }

    /** The same for one that may take as long as bytes come of it, for hours. */
    InputStream layer(String path) {
        return guarded(get(path, List.of()), LAYER);
    }

    private InputStream guarded(InputStream body, Duration whole) {
        return watchdog.guard(body, patience, whole, problem -> failed("broke off: " + problem, null));
    }

    private InputStream get(String path, List<String> accepted) {
        URI first = URI.create(base() + path);
        HttpResponse<InputStream> answer = send(first, accepted, authorization);
        if (answer.statusCode() == 401) {
            close(answer);
            String told = authorize(answer.headers().allValues("WWW-Authenticate"));
            authorization = told;
            answer = send(first, accepted, told);
        }
        URI at = first;
        for (int hops = 0; REDIRECTS.contains(answer.statusCode()); hops++) {
            close(answer);
            if (hops == MOST_REDIRECTS) {
                throw failed("redirects more than " + MOST_REDIRECTS + " times", null);
            }
            at = target(at, answer.headers().firstValue("Location").orElse(""));
            answer = send(at, accepted, isSameOrigin(first, at) ? authorization : null);
        }
        if (answer.statusCode() != 200) {
            close(answer);
            throw refused(answer.statusCode());
        }
        return answer.body();
    }

    /** Where it is; on the loopback it may do without encryption. */
    private String base() {
        String known = base;
        if (known != null) {
            return known;
        }
        String found = (isLoopback && isPlain() ? "http://" : "https://") + registry;
        base = found;
        return found;
    }

    /** Servers with encryption answer a request without it with this status, or with none. */
    private boolean isPlain() {
        try {
            HttpResponse<InputStream> answer = exchange(HttpRequest.newBuilder(URI.create("http://" + registry + "/v2/")).timeout(patience).GET().build());
            close(answer);
            return answer.statusCode() != 400;
        } catch (IOException none) {
            return false;
        }
    }

    private HttpResponse<InputStream> send(URI at, List<String> accepted, @Nullable String authorized) {
        HttpRequest.Builder request = HttpRequest.newBuilder(at).timeout(patience).header("User-Agent", "sandglass").GET();
        accepted.forEach(type -> request.header("Accept", type));
        if (authorized != null) {
            request.header("Authorization", authorized);
        }
        try {
            return exchange(request.build());
        } catch (IOException problem) {
            throw unreachable(problem);
        }
    }

    private HttpResponse<InputStream> exchange(HttpRequest request) throws IOException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
    }

    /** Encrypted, or to the loopback from a registry there. */
    private URI target(URI from, String location) {
        try {
            URI to = from.resolve(URI.create(location));
            boolean isPlain = "http".equals(to.getScheme()) && isLoopback && LOOPBACK.matcher(String.valueOf(to.getRawAuthority())).matches();
            if (to.getHost() == null || to.getRawUserInfo() != null || !("https".equals(to.getScheme()) || isPlain)) {
                throw failed("leads to " + Refusal.shown(location) + " (expected: an https address)", null);
            }
            return to;
        } catch (IllegalArgumentException malformed) {
            throw failed("leads to " + Refusal.shown(location) + " (expected: an https address)", malformed);
        }
    }

    private static boolean isSameOrigin(URI one, URI other) {
        return Objects.equals(one.getScheme(), other.getScheme()) && Objects.equals(one.getRawAuthority(), other.getRawAuthority());
    }

    private String authorize(List<String> headers) {
        Challenge challenge = Challenge.of(headers).orElseThrow(() -> refused(401));
        if (challenge.scheme().equals(Challenge.BASIC)) {
            return basic().orElseThrow(() -> refused(401));
        }
        return "Bearer " + token(challenge);
    }

    private Optional<String> basic() {
        return login.map(known -> "Basic " + Base64.getEncoder().encodeToString((known.user() + ":" + known.password()).getBytes(StandardCharsets.UTF_8)));
    }

    private String token(Challenge challenge) {
        StringJoiner query = new StringJoiner("&");
        for (String name : List.of("service", "scope")) {
            String value = challenge.parameters().get(name);
            if (value != null) {
                query.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
            }
        }
        String realm = challenge.parameters().getOrDefault("realm", "");
        URI at = target(URI.create(base() + "/v2/"), realm + (realm.contains("?") ? "&" : "?") + query);
        HttpResponse<InputStream> answer = send(at, List.of("application/json"), basic().orElse(null));
        if (answer.statusCode() != 200) {
            close(answer);
            throw refused(answer.statusCode() == 404 ? 401 : answer.statusCode());
        }
        try (InputStream body = guarded(answer.body(), document)) {
            TokenAnswer told = Json.read(TokenAnswer.class, body.readNBytes(MOST_TOKEN));
            String token = told.token() == null || told.token().isEmpty() ? told.accessToken() : told.token();
            if (token == null || !TOKEN.matcher(token).matches()) {
                throw failed("has a token server that gives no token", null);
            }
            return token;
        } catch (IOException problem) {
            throw failed("cannot be read: " + problem, problem);
        } catch (SandglassException problem) {
            throw problem.code() == ErrorCode.MALFORMED_REQUEST ? failed("has a token server that gives no token", null) : problem;
        }
    }

    private static void close(HttpResponse<InputStream> answer) {
        try {
            answer.body().close();
        } catch (IOException ended) {
            return; // as it was to
        }
    }

    private SandglassException unreachable(IOException problem) {
        Throwable first = problem;
        boolean isDistrusted = false;
        while (first.getCause() != null) {
            first = first.getCause();
            isDistrusted |= first instanceof CertificateException;
        }
        if (isDistrusted) {
            return new SandglassException(
                    ErrorCode.REGISTRY_FAILED,
                    "The registry " + registry + " is not trusted: " + Refusal.shown(String.valueOf(first.getMessage())) + ".",
                    "Name it as its certificate does, and have the host trust the authority of that, or name a file with it in the daemon's setting network_trust.",
                    problem);
        }
        String silent = first instanceof UnresolvedAddressException ? "its host has no address" : "nobody listens there"; // the client says neither
        return failed("cannot be reached: " + (problem instanceof ConnectException && problem.getMessage() == null ? silent : problem), problem);
    }

    SandglassException failed(String what, @Nullable Throwable cause) {
        return new SandglassException(
                ErrorCode.REGISTRY_FAILED, "The registry " + registry + " " + Refusal.shown(what) + ".", "Check its address and whether it runs, and try again.", cause);
    }

    private SandglassException refused(int status) {
        return switch (status) {
            case 401, 403 ->
                new SandglassException(
                        ErrorCode.REGISTRY_DENIED,
                        "The registry " + registry + " does not give the image to " + login.map(known -> "the user " + Refusal.shown(known.user())).orElse("somebody without a login") + ".",
                        "Give --username and --password-stdin, or log in as the daemon's user with any container tool.");
            case 404 ->
                new SandglassException(ErrorCode.IMAGE_NOT_FOUND, "The registry " + registry + " has no such image.", "Check the name, the tag and the digest.");
            case 429 -> failed("takes no more requests now", null);
            default -> failed("answers with status " + status, null);
        };
    }

    @Override
    public void close() {
        client.shutdownNow();
        watchdog.close();
    }
}
