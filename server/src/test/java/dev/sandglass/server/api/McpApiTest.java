package dev.sandglass.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Model Context Protocol over HTTP, message by message: sessions and requests that need none, what is told of changes, and what nobody should send. */
@Timeout(180)
class McpApiTest extends ApiFixture {
    private static final SandboxId BOX = new SandboxId("sbx-aaaaaaaaaaaa");
    private static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";
    private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}";

    private HttpRequest.Builder message(String body, String... headers) {
        HttpRequest.Builder request = api.request("/mcp")
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        return headers.length == 0 ? request : request.headers(headers);
    }

    private HttpResponse<String> send(String body, String... headers) throws IOException, InterruptedException {
        return api.client.send(message(body, headers).build(), HttpResponse.BodyHandlers.ofString());
    }

    private String session() throws IOException, InterruptedException {
        HttpResponse<String> begun = send(INITIALIZE.formatted("2025-11-25"));
        assertThat(begun.statusCode()).isEqualTo(200);
        return begun.headers().firstValue("Mcp-Session-Id").orElseThrow();
    }

    /** A request without a session, with the headers that it needs. */
    private HttpResponse<String> alone(String method, String params, String... headers) throws IOException, InterruptedException {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"" + method + "\",\"params\":{" + (params.isEmpty() ? "" : params + ",") + META + "}}";
        return api.client.send(message(body, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method).headers(headers.length == 0 ? new String[] {"X-None", ""} : headers).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static Map<?, ?> tree(HttpResponse<String> answer) {
        return tree(answer.body());
    }

    private static Map<?, ?> tree(String json) {
        return (Map<?, ?>) Objects.requireNonNull(Json.tree(json.getBytes(StandardCharsets.UTF_8)));
    }

    private static Map<?, ?> map(Map<?, ?> from, String name) {
        return (Map<?, ?>) Objects.requireNonNull(from.get(name), () -> name + " of " + from);
    }

    private static long code(HttpResponse<String> answer) {
        return (Long) Objects.requireNonNull(map(tree(answer), "error").get("code"));
    }

    @ParameterizedTest
    @CsvSource({"2024-11-05,2024-11-05", "2025-03-26,2025-03-26", "2025-06-18,2025-06-18", "2025-11-25,2025-11-25", "2026-07-28,2025-11-25", "1900-01-01,2025-11-25"})
    void aSessionBeginsInTheRevisionOfTheClientOrTheNewest(String asked, String agreed) throws IOException, InterruptedException {
        HttpResponse<String> begun = send(INITIALIZE.formatted(asked));
        Map<?, ?> result = map(tree(begun), "result");
        assertThat(result.get("protocolVersion")).isEqualTo(agreed);
        assertThat(map(result, "serverInfo").get("name")).isEqualTo("sandglass");
        assertThat((String) result.get("instructions")).contains("snapshot", "rewind", "fork");
        assertThat(map(map(result, "capabilities"), "resources").get("subscribe")).isEqualTo(true);
        assertThat(result.containsKey("resultType")).isFalse();
        String session = begun.headers().firstValue("Mcp-Session-Id").orElseThrow();
        assertThat(session).matches("[0-9a-f]{32}");
        assertThat(send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", "Mcp-Session-Id", session).statusCode()).isEqualTo(202);
        HttpResponse<String> tools = send("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\"}", "Mcp-Session-Id", session, "MCP-Protocol-Version", agreed);
        assertThat(tools.statusCode()).as(tools.body()).isEqualTo(200);
        assertThat((List<?>) map(tree(tools), "result").get("tools")).hasSize(17);
        assertThat(tree(tools).get("id")).isEqualTo("a");
    }

    @Test
    void aSessionEnds() throws IOException, InterruptedException {
        String session = session();
        String ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
        assertThat(tree(send(ping, "Mcp-Session-Id", session)).get("result")).isEqualTo(Map.of());
        assertThat(send(ping).statusCode()).isEqualTo(400);
        assertThat(send(ping, "Mcp-Session-Id", "0".repeat(32)).statusCode()).isEqualTo(404);
        assertThat(end(session)).isEqualTo(204);
        assertThat(end(session)).isEqualTo(404);
        assertThat(send(ping, "Mcp-Session-Id", session).statusCode()).isEqualTo(404);
        assertThat(api.client.send(api.request("/mcp").DELETE().build(), HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(400);
    }

    private int end(String session) throws IOException, InterruptedException {
        return api.client.send(api.request("/mcp").header("Mcp-Session-Id", session).DELETE().build(), HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    @Test
    void sessionsAreBounded() throws IOException, InterruptedException {
        String first = session();
        for (int i = 1; i < 256; i++) {
            session();
        }
        HttpResponse<String> refused = send(INITIALIZE.formatted("2025-11-25"));
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.body()).contains("limit_reached", "256 sessions");
        assertThat(end(first)).isEqualTo(204);
        session();
    }

    @Test
    void aRequestWithoutASessionSaysWhatItIs() throws IOException, InterruptedException {
        Map<?, ?> discovered = map(tree(alone("server/discover", "")), "result");
        assertThat(discovered.get("supportedVersions")).isEqualTo(List.of("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"));
        assertThat(discovered.get("resultType")).isEqualTo("complete");
        assertThat(discovered.get("cacheScope")).isEqualTo("private");
        assertThat(map(map(discovered, "_meta"), "io.modelcontextprotocol/serverInfo").get("name")).isEqualTo("sandglass");
        assertThat((List<?>) map(tree(alone("tools/list", "")), "result").get("tools")).hasSize(17);
        HttpResponse<String> listed = alone("tools/call", "\"name\":\"list_sandboxes\",\"arguments\":{}", "Mcp-Name", "list_sandboxes");
        assertThat(listed.headers().firstValue("Content-Type")).contains("text/event-stream");
        assertThat(listed.body()).contains("\"structuredContent\":{\"sandboxes\":[]}");
        assertThat(alone("prompts/get", "\"name\":\"try_several_ways\",\"arguments\":{\"task\":\"x\"}", "Mcp-Name", "=?base64?dHJ5X3NldmVyYWxfd2F5cw==?=").statusCode()).isEqualTo(200);
    }

    @Test
    void headersThatSaySomethingElseAreRefused() throws IOException, InterruptedException {
        assertThat(code(alone("tools/call", "\"name\":\"list_sandboxes\"", "Mcp-Name", "exec"))).isEqualTo(-32020);
        assertThat(code(alone("tools/call", "\"name\":\"list_sandboxes\""))).isEqualTo(-32020);
        assertThat(code(alone("tools/call", "\"name\":\"list_sandboxes\"", "Mcp-Name", "=?base64?***?="))).isEqualTo(-32020);
        String body = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{" + META + "}}";
        assertThat(code(send(body))).isEqualTo(-32020);
        assertThat(code(send(body, "MCP-Protocol-Version", "2026-07-28"))).isEqualTo(-32020);
        assertThat(code(send(body, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call"))).isEqualTo(-32020);
        assertThat(code(send(body, "MCP-Protocol-Version", "2025-11-25", "Mcp-Method", "tools/list"))).isEqualTo(-32020);
        assertThat(code(send("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}", "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"))).isEqualTo(-32602);
        HttpResponse<String> future = send(body.replace("2026-07-28", "2099-01-01"), "MCP-Protocol-Version", "2099-01-01", "Mcp-Method", "tools/list");
        assertThat(future.statusCode()).isEqualTo(400);
        assertThat(code(future)).isEqualTo(-32022);
        assertThat(future.body()).contains("\"supported\":[\"2026-07-28\"", "\"requested\":\"2099-01-01\"");
        assertThat(code(send(body.replace("clientCapabilities\":{}", "clientCapabilities\":7"), "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"))).isEqualTo(-32602);
        HttpResponse<String> unknown = alone("tasks/list", "");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(code(unknown)).isEqualTo(-32601);
        assertThat(code(alone("ping", ""))).as("a method of sessions").isEqualTo(-32601);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "nonsense", "{", "null", "7", "\"text\"", "[]", "{}", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\",\"id\":1}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} more", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":[1]}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":[1]}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":\"x\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":[]}}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":7}}"
    })
    void whatIsNoMessageIsRefusedAndSaysWhy(String body) throws IOException, InterruptedException {
        HttpResponse<String> refused = send(body);
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        assertThat(code(refused)).isBetween(-32700L, -32600L);
        assertThat((String) map(tree(refused), "error").get("message")).isNotBlank();
    }

    @Test
    void depthAndSizeAreBounded() throws IOException, InterruptedException {
        for (String deep : List.of("[".repeat(500_000), "{\"a\":".repeat(100_000), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"exec\",\"arguments\":" + "[".repeat(40) + "]".repeat(40) + "}}")) {
            HttpResponse<String> refused = send(deep);
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(code(refused)).isEqualTo(-32700);
        }
        assertThat(send("[" + "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},".repeat(10_000) + "1]").statusCode()).isEqualTo(400);
        assertThat(send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + "x".repeat(2 << 20) + "\"}").statusCode()).isEqualTo(413);
        assertThat(send("{\"jsonrpc\":\"2.0\",\"id\":\"" + "x".repeat(300) + "\",\"method\":\"ping\"}").statusCode()).isEqualTo(400);
        assertThat(send(INITIALIZE.formatted("x".repeat(100_000))).statusCode()).as("a long version is only one that nobody knows").isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{\"name\":\"nope\"} | -32602", "{} | -32602", "{\"name\":7} | -32602", "{\"name\":\"exec\",\"arguments\":[]} | -32602", "{\"name\":\"exec\",\"_meta\":{\"progressToken\":1.5}} | -32602"
    })
    void aCallOfNothingIsAnError(String params, long expected) throws IOException, InterruptedException {
        HttpResponse<String> answer = send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":" + params + "}", "Mcp-Session-Id", session());
        assertThat(answer.body()).contains("\"code\":" + expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "exec | {} | arguments.sandbox is missing", "exec | {\"sandbox\":7} | arguments.sandbox: 7 (expected: string)", "exec | {\"sandbox\":\"x\",\"argv\":\"ls\"} | arguments.argv: ls (expected: array)",
        "exec | {\"sandbox\":\"x\",\"command\":\"ls\"} | sandbox_not_found: There is no sandbox x.", "fork | {\"source\":\"x\"} | There is no sandbox or snapshot x.", "diff | {\"to\":\"x\"} | There is no snapshot or sandbox",
        "create_sandbox | {\"memory_mb\":\"much\"} | arguments.memory_mb: much (expected: integer)", "create_sandbox | {\"env\":{\"A\":1}} | arguments.env.A: 1 (expected: string)", "create_sandbox | {\"from\":\"nothing-like-this\"} | nothing-like-this",
        "rewind | {\"sandbox\":\"x\",\"undo\":true} | sandbox_not_found", "expose_port | {\"sandbox\":\"x\",\"port\":70000} | arguments.port: 70000 (expected: <= 65535)", "delete_snapshot | {\"snapshot\":\"x\"} | snapshot_not_found",
        "read_output | {\"sandbox\":\"x\",\"command\":\"../x\"} | arguments.command: ../x"
    })
    void whatAToolCannotDoIsAnAnswerThatSaysWhatToDo(String tool, String arguments, String expected) throws IOException, InterruptedException {
        HttpResponse<String> answer = send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}}", "Mcp-Session-Id", session());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"isError\":true", "\"hint\":\"").contains(expected);
    }

    @Test
    void resourcesOfNothingAreToldAsEachRevisionHasIt() throws IOException, InterruptedException {
        String read = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"%s\"}}";
        String session = session();
        assertThat(code(send(read.formatted("sandglass://sandboxes/nobody"), "Mcp-Session-Id", session))).isEqualTo(-32002);
        for (String uri : List.of("file:///etc/passwd", "sandglass://", "sandglass://sandboxes/", "sandglass://sandboxes/%zz", "sandglass://sandboxes/a/files", "sandglass://sandboxes/a/commands/../output", "x".repeat(9000))) {
            assertThat(code(send(read.formatted(uri), "Mcp-Session-Id", session))).as(uri).isEqualTo(-32002);
        }
        assertThat(code(alone("resources/read", "\"uri\":\"sandglass://sandboxes/nobody\"", "Mcp-Name", "sandglass://sandboxes/nobody"))).isEqualTo(-32602);
        assertThat(code(send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\",\"params\":{\"cursor\":\"nonsense\"}}", "Mcp-Session-Id", session))).isEqualTo(-32602);
        assertThat(code(send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"nonsense\"}}", "Mcp-Session-Id", session))).isEqualTo(-32602);
    }

    @Test
    void subscriptionsAreBounded() throws IOException, InterruptedException {
        String session = session();
        String subscribe = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"sandglass://sandboxes/box-%d\"}}";
        for (int i = 0; i < 100; i++) {
            assertThat(tree(send(subscribe.formatted(i), "Mcp-Session-Id", session)).containsKey("result")).isTrue();
        }
        assertThat(code(send(subscribe.formatted(100), "Mcp-Session-Id", session))).isEqualTo(-32602);
        assertThat(tree(send(subscribe.formatted(5), "Mcp-Session-Id", session)).containsKey("result")).as("one that is there already").isTrue();
        assertThat(code(send(subscribe.replace("sandglass://sandboxes/box-%d", "file:///etc"), "Mcp-Session-Id", session))).isEqualTo(-32602);
    }

    @Test
    void aSessionHearsOfWhatItSubscribedTo() throws IOException, InterruptedException {
        String session = session();
        send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"sandglass://sandboxes/box\"}}", "Mcp-Session-Id", session);
        try (BufferedReader stream = open(api.request("/mcp").header("Mcp-Session-Id", session).header("Accept", "text/event-stream"))) {
            assertThat(stream.readLine()).startsWith(": ");
            HttpResponse<String> second = api.client.send(api.request("/mcp").header("Mcp-Session-Id", session).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(second.statusCode()).isEqualTo(409);
            api.ledger.add(new SandboxId("sbx-bbbbbbbbbbbb"), "other", new Change("sandbox.snapshotted", Map.of()));
            api.ledger.add(BOX, "box", new Change("sandbox.created", Map.of()));
            assertThat(data(stream)).isEqualTo(Map.of("jsonrpc", "2.0", "method", "notifications/resources/list_changed", "params", Map.of()));
            assertThat(data(stream)).isEqualTo(Map.of("jsonrpc", "2.0", "method", "notifications/resources/updated", "params", Map.of("uri", "sandglass://sandboxes/box")));
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> api.engine.events().subscriptions() == 0);
        try (BufferedReader again = open(api.request("/mcp").header("Mcp-Session-Id", session).header("Accept", "text/event-stream"))) {
            assertThat(again.readLine()).startsWith(": ");
        }
    }

    @Test
    void aRequestListensToWhatItNames() throws IOException, InterruptedException {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":\"l\",\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"sandglass://tree\"]}," + META + "}}";
        try (BufferedReader stream = open(message(body, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen"))) {
            Map<?, ?> acknowledged = data(stream);
            assertThat(acknowledged.get("method")).isEqualTo("notifications/subscriptions/acknowledged");
            assertThat(map(map(acknowledged, "params"), "notifications")).isEqualTo(Map.of("resourcesListChanged", false, "resourceSubscriptions", List.of("sandglass://tree")));
            api.ledger.add(BOX, "box", new Change("sandbox.snapshotted", Map.of()));
            Map<?, ?> changed = data(stream);
            assertThat(changed.get("method")).isEqualTo("notifications/resources/updated");
            assertThat(map(changed, "params")).isEqualTo(Map.of("uri", "sandglass://tree", "_meta", Map.of("io.modelcontextprotocol/subscriptionId", "l")));
            api.door.stop(Duration.ofSeconds(10));
            Map<?, ?> farewell = data(stream);
            assertThat(farewell.get("id")).isEqualTo("l");
            assertThat(map(farewell, "result").get("resultType")).isEqualTo("complete");
            assertThat(stream.lines().filter(line -> !line.isEmpty())).as("what comes behind the end").isEmpty();
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> api.engine.events().subscriptions() == 0);
    }

    @Test
    void whoLeavesLeavesNothing() throws IOException, InterruptedException {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{}," + META + "}}";
        for (int i = 0; i < 20; i++) {
            try (BufferedReader stream = open(message(body, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen"))) {
                data(stream);
            }
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> api.engine.events().subscriptions() == 0);
    }

    /** The gate is that of the whole API; here it is seen that this is behind it. */
    @Test
    void nobodyElseComesIn() throws IOException, InterruptedException {
        HttpRequest.Builder foreign = message(INITIALIZE.formatted("2025-11-25")).header("Origin", "https://evil.example.org");
        assertThat(api.client.send(foreign.build(), HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(403);
        HttpRequest.Builder unknown = message(INITIALIZE.formatted("2025-11-25")).setHeader("Authorization", "Bearer nobody");
        assertThat(api.client.send(unknown.build(), HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(401);
        HttpRequest.Builder listening = api.request("/mcp").setHeader("Authorization", "Bearer nobody").header("Mcp-Session-Id", session());
        assertThat(api.client.send(listening.build(), HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(401);
    }

    private BufferedReader open(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<InputStream> answer = api.client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
        return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    }

    /** The next event's data. */
    private static Map<?, ?> data(BufferedReader stream) throws IOException {
        while (true) {
            String line = stream.readLine();
            assertThat(line).as("the stream goes on").isNotNull();
            if (line.startsWith("data: ")) {
                return tree(line.substring("data: ".length()));
            }
        }
    }
}
