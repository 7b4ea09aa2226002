package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.TraceStep;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A create goes on without its client, and shows where its time goes. */
@OnEveryRuntime
class OperationTest {
    private final Caller caller = SharedDaemon.daemon().caller();
    private final Api api = SharedDaemon.api();
    private final String runtime;

    OperationTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void aCreateThatNobodyWaitsForCanBeFollowedToItsEnd() {
        Answer begun = caller.post("/v1/sandboxes?wait=false", SandboxRequest.on(runtime).toWire());
        assertThat(begun.status()).isEqualTo(202);
        String path = "/v1/operations/" + begun.as(OperationStatus.class).id();
        String text = caller.good(caller.send(
                        "GET", path, "", BodyPublishers.noBody(), Map.of("Accept", "text/event-stream")))
                .text();
        List<OperationStatus> told = text.lines()
                .filter(line -> line.startsWith("data: "))
                .map(line -> Json.read(OperationStatus.class, line.substring(6).getBytes(StandardCharsets.UTF_8)))
                .toList();
        assertThat(told).extracting(OperationStatus::progress).isSorted();
        OperationStatus ended = told.getLast();
        assertThat(ended.state()).isEqualTo("succeeded");
        assertThat(ended.progress()).isEqualTo(1);
        Sandbox made = Objects.requireNonNull(ended.sandbox());
        assertThat(api.get(made.id()).state()).isEqualTo("running");
        assertThat(caller.get(path).as(OperationStatus.class)).isEqualTo(ended);
        assertThat(caller.post(path + "/wait").as(OperationStatus.class)).isEqualTo(ended);
        api.destroy(made.id());
    }

    @Test
    void aCreateThatFailsSaysWhyAfterwards() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime))) {
            OperationStatus begun = caller.post(
                            "/v1/sandboxes", SandboxRequest.on(runtime).name(box.name()).toWire(), Map.of("Prefer", "respond-async"))
                    .as(OperationStatus.class);
            OperationStatus ended = caller.post("/v1/operations/" + begun.id() + "/wait").as(OperationStatus.class);
            assertThat(ended.state()).isEqualTo("failed");
            assertThat(Objects.requireNonNull(ended.error()).code()).isEqualTo("name_taken");
        }
    }

    @Test
    void aTraceShowsWhereTheTimeGoes() {
        long began = System.nanoTime();
        Answer answer = caller.post("/v1/sandboxes?trace=true", SandboxRequest.on(runtime).toWire());
        double passed = (System.nanoTime() - began) / 1e6;
        OperationStatus traced = answer.as(OperationStatus.class);
        assertThat(traced.steps())
                .extracting(TraceStep::name)
                .containsExactly(
                        "image", "ledger", "tree", "identity", "control group", "mounts", "engine", "limits", "agent", "ledger, running");
        double sum = traced.steps().stream().mapToDouble(TraceStep::ms).sum();
        assertThat(sum).isBetween(1.0, passed);
        api.destroy(Objects.requireNonNull(traced.sandbox()).id());
    }

    @Test
    void theEnvironmentOfASandboxIsGoneWithIt() {
        String secret = UUID.randomUUID().toString();
        OperationStatus begun = caller.post("/v1/sandboxes?wait=false", SandboxRequest.on(runtime).env(Map.of("API_KEY", secret)).toWire())
                .as(OperationStatus.class);
        String path = "/v1/operations/" + begun.id();
        Sandbox made = Objects.requireNonNull(caller.post(path + "/wait").as(OperationStatus.class).sandbox());
        assertThat(made.env()).containsEntry("API_KEY", secret);
        assertThat(rowsWith("operation", "status", secret)).isZero();
        api.destroy(made.id());
        assertThat(Objects.requireNonNull(caller.get(path).as(OperationStatus.class).sandbox()).id()).isEqualTo(made.id());
        assertThat(caller.get(path).text()).doesNotContain(secret);
        assertThat(caller.get("/v1/sandboxes?all=true&limit=1000").text()).doesNotContain(secret);
        assertThat(rowsWith("operation", "status", secret)).isZero();
        assertThat(rowsWith("sandbox", "details", secret)).isZero();
    }

    private static long rowsWith(String table, String column, String text) {
        return LedgerFile.numbers(SharedDaemon.daemon(), "SELECT COUNT(*) FROM " + table + " WHERE " + column + " LIKE '%" + text + "%'").getFirst();
    }

    @Test
    void whatIsNotThereIsNotFound() {
        refused(ErrorCode.OPERATION_NOT_FOUND, () -> caller.get("/v1/operations/op-000000000000"));
        refused(ErrorCode.INVALID_REQUEST, () -> caller.get("/v1/operations/x"));
        refused(ErrorCode.NAME_TAKEN, () -> caller.post(
                "/v1/sandboxes?trace=true", SandboxRequest.on(runtime).name(SharedDaemon.sandbox(runtime).name()).toWire()));
    }
}
