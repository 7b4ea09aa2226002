package dev.sandglass.server.api;

import dev.sandglass.engine.Engine;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.metric.Exposition;
import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.HostStats;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The daemon's figures for Prometheus. */
final class MetricRoutes {
    private final Engine engine;
    private final Traffic traffic;

    MetricRoutes(Engine engine, Traffic traffic) {
        this.engine = engine;
        this.traffic = traffic;
    }

    Map<String, Handler> handlers() {
        return Map.of("metrics", this::metrics);
    }

    private void metrics(Exchange exchange) throws IOException {
        Exposition text = new Exposition();
        text.family("sandglass_sandboxes", "gauge", "Sandboxes by state.");
        engine.sandboxes().list().stream()
                .collect(Collectors.groupingBy(Sandbox::state, TreeMap::new, Collectors.counting()))
                .forEach((state, count) -> text.value("sandglass_sandboxes", count, "state", state));
        HostStats host = engine.usages().host();
        text.gauge("sandglass_sandbox_cpus", "Processors that all sandboxes use together.", host.total().cpus())
                .gauge("sandglass_sandbox_memory_bytes", "Memory that all sandboxes use together.", host.total().memoryBytes())
                .family("sandglass_pool_free_bytes", "gauge", "Room that is left in the pool.")
                .value("sandglass_pool_free_bytes", host.pool().freeBytes(), "kind", host.pool().kind())
                .gauge("sandglass_host_memory_used_bytes", "Memory of the machine that is in use.", host.memoryUsedBytes())
                .gauge("sandglass_daemon_resident_bytes", "Resident memory of the daemon.", host.daemon().rssBytes())
                .gauge("sandglass_daemon_heap_bytes", "Heap of the daemon that is in use.", host.daemon().heapBytes())
                .gauge("sandglass_daemon_threads", "Platform threads of the daemon.", host.daemon().threads())
                .gauge("sandglass_daemon_descriptors", "Open descriptors of the daemon.", host.daemon().descriptors())
                .gauge("sandglass_event_streams", "Clients that follow the events.", engine.events().subscriptions());
        traffic.write(text);
        exchange.answerText(Exposition.MEDIA_TYPE, text.bytes());
    }
}
