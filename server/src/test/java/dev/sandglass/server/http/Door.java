package dev.sandglass.server.http;

import dev.sandglass.server.api.Contract;
import dev.sandglass.server.metric.Traffic;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A front door on a free port and in a directory of its own, for tests. */
final class Door implements AutoCloseable {
    /** A small API that has one of everything that the transport can do. */
    static final String YAML = """
            openapi: 3.1.0
            paths:
              /v1/items/{item}:
                parameters: [{name: item, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 20}}]
                get:
                  operationId: getItem
                  parameters:
                    - {name: count, in: query, schema: {type: integer, minimum: 0, maximum: 10, default: 3}}
                    - {name: deep, in: query, schema: {type: boolean, default: false}}
                    - {name: text, in: query, schema: {type: string}}
                delete:
                  operationId: deleteItem
                  parameters: [{name: path, in: query, required: true, schema: {type: string}}]
              /v1/signal:
                post:
                  operationId: signal
                  requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Signal"}}}}
              /v1/bytes:
                get:
                  operationId: getBytes
                post:
                  operationId: postBytes
                  requestBody: {required: true, content: {application/octet-stream: {}}}
              /v1/lines:
                get: {operationId: lines}
              /v1/socket:
                get: {operationId: socket}
            components:
              schemas:
                Signal:
                  type: object
                  additionalProperties: false
                  required: [signal]
                  properties: {signal: {type: string, maxLength: 16}}
            """;

    private final Path directory;
    final Token token;
    final FrontDoor front;
    final Path socket;
    final HttpClient client = HttpClient.newHttpClient();

    private Door(Path directory, Router router, HttpSettings settings) throws IOException {
        this.directory = directory;
        this.socket = settings.socket();
        this.token = Token.at(directory.resolve("token"));
        this.front = new FrontDoor(settings, router, Bearers.ofOwner(token), new Traffic());
        front.start();
    }

    /** Serves the small API; operations without a handler here fail. */
    static Door open(Map<String, Handler> handlers) throws IOException {
        return open(handlers, 1000);
    }

    static Door open(Map<String, Handler> handlers, int maxConnections) throws IOException {
        return serve(router(handlers), maxConnections);
    }

    static Door open(Map<String, Handler> handlers, Duration idle) throws IOException {
        return serve(router(handlers), 1000, settings -> settings.withIdleTimeout(idle));
    }

    static Door limited(Map<String, Handler> handlers, int requestsPerSecond) throws IOException {
        return serve(router(handlers), 1000, settings -> settings.withRequestsPerSecond(requestsPerSecond));
    }

    /** One that does not wait long for clients that take nothing. */
    static Door impatient(Map<String, Handler> handlers, Duration patience) throws IOException {
        return serve(router(handlers), 1000, settings -> settings.withPatience(patience));
    }

    /** One that bears so much from clients that are answered early. */
    static Door lingering(Map<String, Handler> handlers, LingerBounds bounds) throws IOException {
        return serve(router(handlers), 1000, settings -> settings.withLinger(bounds));
    }

    private static Router router(Map<String, Handler> handlers) {
        Map<String, Handler> all = new HashMap<>();
        Contract contract = Contract.parse(YAML);
        contract.operations().forEach(operation -> all.put(operation.id(), exchange -> {
            throw new AssertionError("not expected to be called");
        }));
        all.putAll(handlers);
        return new Router(contract.operations(), all);
    }

    static Door serve(Router router, int maxConnections) throws IOException {
        return serve(router, maxConnections, settings -> settings);
    }

    private static Door serve(Router router, int maxConnections, UnaryOperator<HttpSettings> change) throws IOException {
        Path directory = Files.createTempDirectory("door");
        HttpSettings settings = new HttpSettings("127.0.0.1", 0, directory.resolve("s.sock"), Set.of("box.example"), maxConnections);
        return new Door(directory, router, change.apply(settings.withRequestsPerSecond(0)));
    }

    RawConnection tcp() throws IOException {
        return RawConnection.tcp(front.port());
    }

    RawConnection unix() throws IOException {
        return RawConnection.unix(socket);
    }

    /** The headers that every good request has. */
    String goodHeaders() {
        return "Host: localhost\r\nAuthorization: Bearer " + token.text() + "\r\n";
    }

    HttpRequest.Builder request(String pathAndQuery) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + front.port() + pathAndQuery))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer " + token.text());
    }

    HttpResponse<String> get(String pathAndQuery) throws IOException, InterruptedException {
        return client.send(request(pathAndQuery).build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> post(String pathAndQuery, String type, String body) throws IOException, InterruptedException {
        return client.send(
                request(pathAndQuery).header("Content-Type", type).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() throws IOException {
        client.shutdownNow();
        try {
            front.stop(Duration.ofSeconds(1));
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(directory.resolve("token"));
        Files.delete(directory);
    }
}
