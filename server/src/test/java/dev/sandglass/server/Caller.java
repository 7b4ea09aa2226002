package dev.sandglass.server;

import dev.sandglass.server.api.OpenApiContract;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Calls a daemon's API and holds every JSON answer to {@code openapi.yaml}. Refusals are thrown as {@link SandglassException}.
 *
 * @param token read at each call: a daemon makes it at its first start
 */
record Caller(HttpClient http, int port, Supplier<String> token) {
    private static final OpenApiContract CONTRACT = new OpenApiContract();
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    Answer get(String path) {
        return good(send("GET", path, "", BodyPublishers.noBody()));
    }

    Answer delete(String path) {
        return good(send("DELETE", path, "", BodyPublishers.noBody()));
    }

    Answer post(String path, Object body) {
        return good(send("POST", path, "application/json", BodyPublishers.ofByteArray(Json.bytes(body))));
    }

    Answer post(String path, Object body, Map<String, String> headers) {
        return good(send("POST", path, "application/json", BodyPublishers.ofByteArray(Json.bytes(body)), headers));
    }

    Answer put(String path, Object body) {
        return good(send("PUT", path, "application/json", BodyPublishers.ofByteArray(Json.bytes(body))));
    }

    Answer patch(String path, Object body) {
        return good(send("PATCH", path, "application/json", BodyPublishers.ofByteArray(Json.bytes(body))));
    }

    Answer post(String path) {
        return good(send("POST", path, "", BodyPublishers.noBody()));
    }

    /** Any request, its answer checked against the description and given back whatever it is. */
    Answer send(String method, String path, String mediaType, BodyPublisher body) {
        return send(method, path, mediaType, body, Map.of());
    }

    Answer send(String method, String path, String mediaType, BodyPublisher body, Map<String, String> headers) {
        HttpRequest.Builder request = request(path).method(method, body);
        headers.forEach(request::header);
        if (!mediaType.isEmpty()) {
            request.header("Content-Type", mediaType);
        }
        try {
            HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
            if (response.headers().firstValue("Content-Type").orElse("").startsWith("application/json")) {
                check(method, path, response);
            }
            return new Answer(response);
        } catch (IOException problem) {
            throw new UncheckedIOException(method + " " + path + ": " + problem, problem);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", stopped);
        }
    }

    /** An answer that is read while it comes. */
    InputStream open(String path) {
        return open(path, Map.of());
    }

    InputStream open(String path, Map<String, String> headers) {
        HttpRequest.Builder request = request(path).GET();
        headers.forEach(request::header);
        try {
            HttpResponse<InputStream> response = http.send(request.build(), BodyHandlers.ofInputStream());
            if (response.statusCode() != 200) {
                throw SandglassException.from(Json.read(Problem.class, response.body().readAllBytes()));
            }
            return response.body();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", stopped);
        }
    }

    Answer good(Answer answer) {
        if (answer.status() >= 400) {
            throw SandglassException.from(answer.as(Problem.class));
        }
        return answer;
    }

    URI socket(String path) {
        return URI.create("ws://127.0.0.1:" + port + path);
    }

    String authorization() {
        return "Bearer " + token.get();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(PATIENCE)
                .header("Authorization", authorization());
    }

    private static void check(String method, String path, HttpResponse<byte[]> response) {
        String json = new String(response.body(), StandardCharsets.UTF_8);
        if (response.statusCode() >= 400) {
            CONTRACT.checkSchema("Problem", json);
        } else {
            CONTRACT.check(CONTRACT.operationId(method, path.split("\\?", 2)[0]), response.statusCode(), json);
        }
    }
}
