package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Prometheus can read how the daemon does. */
@ExtendWith(SharedDaemon.class)
@Timeout(180)
class MetricsTest {
    private static final Pattern LINE = Pattern.compile(
            "# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*\\})? [0-9.E+-]+");

    private final Api api = SharedDaemon.api();

    @Test
    void everythingIsCounted() {
        double created = value("sandglass_request_seconds_count{operation=\"createSandbox\",status=\"201\"}");
        double destroyed = value("sandglass_request_seconds_count{operation=\"destroySandbox\",status=\"204\"}");
        double missing = value("sandglass_errors_total{code=\"sandbox_not_found\"}");
        try (TestSandbox box = api.create(SandboxRequest.on("container"))) {
            assertThat(value("sandglass_sandboxes{state=\"running\"}")).isGreaterThanOrEqualTo(1);
            box.output("true");
        }
        refused(ErrorCode.SANDBOX_NOT_FOUND, () -> api.get("nobody"));
        assertThat(value("sandglass_request_seconds_count{operation=\"createSandbox\",status=\"201\"}")).isEqualTo(created + 1);
        assertThat(value("sandglass_request_seconds_bucket{operation=\"createSandbox\",status=\"201\",le=\"+Inf\"}"))
                .isEqualTo(created + 1);
        assertThat(value("sandglass_request_seconds_sum{operation=\"createSandbox\",status=\"201\"}")).isPositive();
        assertThat(value("sandglass_request_seconds_count{operation=\"destroySandbox\",status=\"204\"}")).isEqualTo(destroyed + 1);
        assertThat(value("sandglass_errors_total{code=\"sandbox_not_found\"}")).isEqualTo(missing + 1);
        assertThat(value("sandglass_daemon_resident_bytes")).isGreaterThan(10 << 20);
    }

    @Test
    void whatIsDoneToSandboxesIsTimedWhoeverWaitsForIt() {
        Map<String, Double> before = new TreeMap<>();
        for (String kind : List.of("create", "stop", "start", "snapshot", "fork", "pause", "resume", "destroy")) {
            before.put(kind, done(kind, "succeeded"));
        }
        double missing = done("stop", "sandbox_not_found");
        try (TestSandbox box = api.create(SandboxRequest.on("container").labels(Map.of("metrics", "true")))) {
            box.stop();
            box.powerOn();
            box.pause(true);
            box.resume(true);
            api.deleteSnapshot(api.capture(box.id(), null).id());
            String fork = api.caller().good(api.caller().post(box.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, true)))
                    .as(Forked.class).sandboxes().getFirst().id();
            api.caller().good(api.caller().delete("/v1/sandboxes/" + fork));
        }
        refused(ErrorCode.SANDBOX_NOT_FOUND, () -> api.stop("nobody"));
        before.forEach((kind, count) -> assertThat(done(kind, "succeeded")).as(kind).isGreaterThan(count));
        assertThat(done("stop", "sandbox_not_found")).isEqualTo(missing + 1);
        assertThat(value("sandglass_operation_seconds_sum{kind=\"create\",result=\"succeeded\"}")).isPositive();
    }

    @Test
    void whatNobodyAskedForIsTimedToo() {
        double before = done("destroy", "succeeded");
        TestSandbox box = api.create(SandboxRequest.on("container").timeout(1));
        Eventually.get(api::list, there -> there.stream().noneMatch(sandbox -> sandbox.id().equals(box.id())));
        Eventually.get(() -> done("destroy", "succeeded"), count -> count > before);
    }

    @Test
    void whoFollowsOutputIsNoSlowRequest() {
        String streams = "sandglass_stream_seconds_count{operation=\"readOutput\",status=\"200\"}";
        double before = value(streams);
        try (TestSandbox box = api.create(SandboxRequest.on("container"))) {
            box.said(box.start(Run.of("echo", "here")));
        }
        Eventually.get(() -> value(streams), count -> count > before);
        assertThat(text()).doesNotContain("sandglass_request_seconds_count{operation=\"readOutput\",status=\"200\"}");
    }

    @Test
    void theRoomOfThePoolIsTold() {
        String kind = "{kind=\"" + api.status().pool().kind() + "\"}";
        assertThat(value("sandglass_pool_free_bytes" + kind)).isPositive();
        assertThat(value("sandglass_pool_used_bytes" + kind)).isPositive();
        assertThat(value("sandglass_pool_size_bytes" + kind))
                .isGreaterThanOrEqualTo(value("sandglass_pool_free_bytes" + kind));
        assertThat(text()).contains("\nsandglass_sandbox_disk_bytes ").contains("\nsandglass_snapshot_bytes ");
    }

    @Test
    void everyLineIsAsPrometheusWantsIt() {
        assertThat(text().lines()).allMatch(line -> LINE.matcher(line).matches());
    }

    private double done(String kind, String result) {
        return value("sandglass_operation_seconds_count{kind=\"" + kind + "\",result=\"" + result + "\"}");
    }

    private String text() {
        return api.caller().get("/metrics").text();
    }

    /** 0 for what has never happened. */
    private double value(String name) {
        return text().lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(0);
    }
}
