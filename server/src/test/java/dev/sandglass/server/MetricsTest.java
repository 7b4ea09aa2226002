package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
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
        assertThat(value("sandglass_pool_free_bytes{kind=\"btrfs-loop\"}")).isPositive();
        assertThat(value("sandglass_daemon_resident_bytes")).isGreaterThan(10 << 20);
    }

    @Test
    void everyLineIsAsPrometheusWantsIt() {
        assertThat(text().lines()).allMatch(line -> LINE.matcher(line).matches());
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
