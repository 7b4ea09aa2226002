package dev.sandglass.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.server.http.Operation;
import dev.sandglass.server.http.Schema;
import dev.sandglass.wire.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Holds answers of a running daemon to {@code openapi.yaml}: nothing missing, nothing of another type, nothing undescribed. */
public final class OpenApiContract {
    private final Contract contract = Contract.ofApi();

    public List<Operation> operations() {
        return contract.operations();
    }

    /** The operation that a request with this method and path (no query) is for. */
    public String operationId(String method, String path) {
        return contract.operations().stream()
                .filter(operation -> operation.method().equals(method) && operation.path().fits(path))
                .findFirst()
                .orElseThrow(() -> new AssertionError(method + " " + path + " is not described"))
                .id();
    }

    /** Checks one JSON answer of an operation. */
    public void check(String operationId, int status, String json) {
        check(operationId + " " + status, contract.answer(operationId, Integer.toString(status), "application/json"), json);
    }

    /** Checks an answer of JSON lines. */
    public void checkLines(String operationId, String lines) {
        Schema schema = contract.answer(operationId, "200", "application/x-ndjson");
        lines.lines().forEach(line -> check(operationId, schema, line));
    }

    /** Checks a value against a named schema of the description. */
    public void checkSchema(String name, String json) {
        check(name, contract.schema(name), json);
    }

    private static void check(String what, Schema schema, String json) {
        assertThat(schema.closed().complaints("", Json.tree(json.getBytes(StandardCharsets.UTF_8)))).as("%s: %s", what, json).isEmpty();
    }
}
