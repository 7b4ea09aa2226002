package dev.sandglass.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.server.http.Operation;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every answer, good or bad, is as described. */
class ApiTest extends ApiFixture {
    private final OpenApiContract contract = new OpenApiContract();

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
                    String json = body(answer, Set.of("attachCommand", "connectPort").contains(operation.id()) ? 400 : 404);
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

    private static String target(Operation operation) {
        String path = operation.path().text().replace("{sandbox}", "nobody").replace("{command}", "cmd-1").replace("{credential}", "key").replace("{service}", "web").replace("{route}", "web").replace("{port}", "8080").replace("{volume}", "data");
        String query = String.join("&", operation.requiredQuery().stream().map(name -> name + "=x").toList());
        return query.isEmpty() ? path : path + "?" + query;
    }

    private HttpResponse<String> send(String method, String target) throws IOException, InterruptedException {
        return api.client.send(api.request(target).method(method, HttpRequest.BodyPublishers.noBody()).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> send(String method, String target, Operation operation) throws IOException, InterruptedException {
        if (operation.content().isEmpty()) {
            return send(method, target);
        }
        String body = switch (operation.id()) {
            case "startCommand", "runCommand" -> "{\"argv\":[\"ls\"]}";
            case "createService" -> "{\"name\":\"web\",\"argv\":[\"ls\"]}";
            case "resizeCommand" -> "{\"cols\":80,\"rows\":24}";
            case "signalCommand" -> "{\"signal\":\"TERM\"}";
            case "setAttributes", "updateSandbox", "createSnapshot", "pauseSandbox", "resumeSandbox", "forkSandbox", "setPolicy" -> "{}";
            case "addPolicyRule" -> "{\"rule\":\"allow api.example.org\"}";
            case "createRoute" -> "{\"name\":\"web\",\"port\":8080}";
            case "linkRoute", "linkPort" -> "{\"expires\":60}";
            case "attachVolume" -> "{\"volume\":\"data\",\"path\":\"/data\"}";
            case "provisionSandbox" -> "{\"components\":[\"jq\"]}";
            case "rewindSandbox" -> "{\"undo\":true}";
            default -> "bytes";
        };
        HttpRequest.Builder request = api.request(target).header("Content-Type", operation.content().get().mediaType());
        return api.client.send(request.method(method, HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> json(String method, String target, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = api.request(target).header("Content-Type", "application/json");
        return api.client.send(request.method(method, HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String body(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body();
    }
}
