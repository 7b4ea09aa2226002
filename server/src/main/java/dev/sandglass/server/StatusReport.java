package dev.sandglass.server;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.route.Entrance;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Status;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Tells what runs here. Thread-safe. */
final class StatusReport {
    private final Configuration configuration;
    private final Instant startedAt;
    private final List<Runtime> runtimes;
    private final Pool pool;
    private final Sandboxes sandboxes;
    private volatile int port;
    private volatile Entrance entrance = Entrance.STANDARD;

    StatusReport(Configuration configuration, Instant startedAt, List<Runtime> runtimes, Pool pool, Sandboxes sandboxes) {
        this.configuration = configuration;
        this.startedAt = startedAt;
        this.runtimes = runtimes;
        this.pool = pool;
        this.sandboxes = sandboxes;
    }

    void listening(int actualPort, Entrance routes) {
        port = actualPort;
        entrance = routes;
    }

    Status now() {
        List<RuntimeStatus> known = runtimes.stream().map(Runtime::status).toList();
        Map<String, Long> byState =
                sandboxes.list().stream().collect(Collectors.groupingBy(Sandbox::state, TreeMap::new, Collectors.counting()));
        return new Status(
                Version.TEXT,
                ProcessHandle.current().pid(),
                "http://" + configuration.http().host() + ":" + port,
                configuration.http().socket().toString(),
                entrance.scheme() + "://" + entrance.host() + ":" + entrance.port(),
                entrance.domain(),
                configuration.places().data().toString(),
                startedAt,
                defaultRuntime(known),
                known,
                pool.status(),
                byState);
    }

    private String defaultRuntime(List<RuntimeStatus> known) {
        String configured = configuration.defaults().runtime();
        if (!configured.equals("auto")) {
            return configured;
        }
        return known.stream().filter(RuntimeStatus::available).map(RuntimeStatus::name).findFirst().orElse("none");
    }
}
