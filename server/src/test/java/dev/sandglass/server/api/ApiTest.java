package dev.sandglass.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.guest.Agents;
import dev.sandglass.engine.life.Defaults;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.ledger.SqliteLedger;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.pool.Pools;
import dev.sandglass.pool.image.BaseImages;
import dev.sandglass.server.http.FrontDoor;
import dev.sandglass.server.http.HttpSettings;
import dev.sandglass.server.http.Operation;
import dev.sandglass.server.http.Token;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Status;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The API on a real engine that has no runtime and so no sandboxes: every answer, good or bad, is as described. */
class ApiTest {
    private final OpenApiContract contract = new OpenApiContract();
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private Engine engine;
    private FrontDoor door;
    private Token token;

    @BeforeEach
    void open() throws IOException, InterruptedException {
        Path agent = Files.writeString(directory.resolve("agent"), "no agent");
        Pool pool = Pools.open(directory, PoolOptions.of(PoolKind.COPY));
        Sandboxes sandboxes = Sandboxes.open(
                SqliteLedger.open(directory.resolve("ledger.db")),
                pool,
                List.of(),
                new Agents(directory.resolve("agents"), agent),
                new BaseImages(pool, directory),
                directory,
                Defaults.standard(2));
        engine = new Engine(sandboxes);
        token = Token.at(directory.resolve("token"));
        HttpSettings settings = HttpSettings.at(directory.resolve("s")).withPort(0);
        door = new FrontDoor(settings, Api.router(engine.sandboxes(), engine.commands(), engine.files(), this::status), token);
        door.start();
    }

    @AfterEach
    void close() throws InterruptedException {
        client.shutdownNow();
        door.stop(Duration.ofSeconds(1));
        engine.close();
    }

    @Test
    void theDaemonTellsOfItself() throws IOException, InterruptedException {
        contract.check("health", 200, body(send("GET", "/v1/health"), 200));
        contract.check("status", 200, body(send("GET", "/v1/status"), 200));
        contract.check("listSandboxes", 200, body(send("GET", "/v1/sandboxes"), 200));
        String description = body(send("GET", "/openapi.json"), 200);
        assertThat(Contract.parse(description).operations()).hasSameSizeAs(contract.operations());
    }

    @TestFactory
    List<DynamicTest> everyOperationOfASandboxThatIsNotThereSaysSo() {
        return contract.operations().stream()
                .filter(operation -> operation.segments().containsKey("sandbox"))
                .map(operation -> DynamicTest.dynamicTest(operation.id(), () -> {
                    HttpResponse<String> answer = send(operation.method(), target(operation), operation);
                    String json = body(answer, operation.id().equals("attachCommand") ? 400 : 404);
                    contract.check(operation.id(), answer.statusCode(), json);
                }))
                .toList();
    }

    @Test
    void aRequestIsHeldToTheDescriptionBeforeTheEngineSeesIt() throws IOException, InterruptedException {
        assertThat(body(json("POST", "/v1/sandboxes", "{\"memory_mb\":1}"), 400)).contains("memory_mb: 1 (expected: >= 64)");
        assertThat(body(json("POST", "/v1/sandboxes", "{\"memroy_mb\":64}"), 400)).contains("memroy_mb is not a known field");
        assertThat(body(json("POST", "/v1/sandboxes", "{\"cpus\":0.5,\"labels\":{\"ä\":\"\"}}"), 503)).contains("image_unavailable");
        assertThat(body(json("POST", "/v1/sandboxes/a/commands", "{}"), 400)).contains("argv is missing");
        assertThat(body(send("GET", "/v1/sandboxes/a/commands/nonsense"), 400)).contains("command: nonsense (expected: ^cmd-");
    }

    private Status status() {
        return new Status(
                "0", 1, "127.0.0.1:0", "s", "d", Instant.now(), "auto", List.of(new RuntimeStatus("gvisor", false, null, null, "absent")),
                new PoolStatus("copy", 1, null), Map.of("running", 0L));
    }

    private static String target(Operation operation) {
        String path = operation.path().text().replace("{sandbox}", "nobody").replace("{command}", "cmd-1");
        String query = String.join("&", operation.requiredQuery().stream().map(name -> name + "=x").toList());
        return query.isEmpty() ? path : path + "?" + query;
    }

    private HttpResponse<String> send(String method, String target) throws IOException, InterruptedException {
        return client.send(request(target).method(method, HttpRequest.BodyPublishers.noBody()).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> send(String method, String target, Operation operation) throws IOException, InterruptedException {
        if (operation.content().isEmpty()) {
            return send(method, target);
        }
        String body = switch (operation.id()) {
            case "startCommand", "runCommand" -> "{\"argv\":[\"ls\"]}";
            case "signalCommand" -> "{\"signal\":\"TERM\"}";
            case "setAttributes" -> "{}";
            default -> "bytes";
        };
        HttpRequest.Builder request = request(target).header("Content-Type", operation.content().get().mediaType());
        return client.send(request.method(method, HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> json(String method, String target, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(target).header("Content-Type", "application/json");
        return client.send(request.method(method, HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + door.port() + target)).header("Authorization", "Bearer " + token.text());
    }

    private static String body(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body();
    }
}
