package dev.sandglass.server.api;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.credential.Counters;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.metric.Exposition;
import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.HostStats;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxPool;
import dev.sandglass.wire.SandboxPoolList;
import dev.sandglass.wire.Status;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The daemon's figures for Prometheus. */
final class MetricRoutes {
    private final Engine engine;
    private final Traffic traffic;
    private final Supplier<Status> status;

    MetricRoutes(Engine engine, Traffic traffic, Supplier<Status> status) {
        this.engine = engine;
        this.traffic = traffic;
        this.status = status;
    }

    Map<String, Handler> handlers() {
        return Map.of("metrics", this::metrics);
    }

    private static long diskBytes(HostStats host) {
        Long bytes = host.total().diskBytes();
        return bytes == null ? 0 : bytes;
    }

    /** The size is that of the filesystem, which sandboxes may share with others. */
    private void pool(Exposition text, PoolStatus pool) throws IOException {
        FileStore store = Files.getFileStore(Path.of(status.get().dataDir(), "pool"));
        poolValue(text, pool, "sandglass_pool_size_bytes", "Size of the filesystem that has the pool.", store.getTotalSpace());
        poolValue(text, pool, "sandglass_pool_used_bytes", "Room on it that is in use.", store.getTotalSpace() - store.getUnallocatedSpace());
        poolValue(text, pool, "sandglass_pool_free_bytes", "Room that is left in the pool.", pool.freeBytes());
    }

    private static void poolValue(Exposition text, PoolStatus pool, String name, String help, long bytes) {
        text.family(name, "gauge", help).value(name, bytes, "kind", pool.kind());
    }

    private static void waiting(Exposition text, SandboxPoolList all) {
        text.gauge("sandglass_pool_memory_budget_bytes", "Memory that the waiting sandboxes of all pools may take.", all.memoryBudgetBytes());
        each(text, all, "sandglass_pool_idle", "gauge", "Sandboxes that are ready in a pool.", SandboxPool::ready);
        each(text, all, "sandglass_pool_filling", "gauge", "Sandboxes that are being made for a pool.", SandboxPool::filling);
        each(text, all, "sandglass_pool_memory_bytes", "gauge", "Memory that the waiting sandboxes of a pool take.", SandboxPool::memoryBytes);
        each(text, all, "sandglass_pool_claimed_total", "counter", "Sandboxes that a pool has given away.", SandboxPool::claimed);
        each(text, all, "sandglass_pool_missed_total", "counter", "Sandboxes that a pool could not give.", SandboxPool::missed);
    }

    private static void each(Exposition text, SandboxPoolList all, String name, String type, String help, ToLongFunction<SandboxPool> value) {
        text.family(name, type, help);
        all.pools().forEach(pool -> text.value(name, value.applyAsLong(pool), "pool", pool.name()));
    }

    private static void budgets(Exposition text, Counters counters) {
        String requests = "sandglass_budget_requests_total";
        text.family(requests, "counter", "Requests of sandboxes that were counted for a budget, or refused because it was used up.")
                .value(requests, counters.requests(), "result", "sent")
                .value(requests, counters.refused(), "result", "refused");
        String tokens = "sandglass_budget_tokens_total";
        text.family(tokens, "counter", "Tokens that were counted for budgets: those that services told, and those that were estimated.")
                .value(tokens, counters.said(), "source", "service")
                .value(tokens, counters.estimated(), "source", "estimate");
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
                .gauge("sandglass_sandbox_disk_bytes", "Disk that all sandboxes that run use together.", diskBytes(host))
                .gauge("sandglass_snapshot_bytes", "Disk that snapshots take, with their memory.", engine.snapshots().bytes());
        pool(text, host.pool());
        text.gauge("sandglass_host_memory_used_bytes", "Memory of the machine that is in use.", host.memoryUsedBytes())
                .gauge("sandglass_daemon_resident_bytes", "Resident memory of the daemon.", host.daemon().rssBytes())
                .gauge("sandglass_daemon_heap_bytes", "Heap of the daemon that is in use.", host.daemon().heapBytes())
                .gauge("sandglass_daemon_threads", "Platform threads of the daemon.", host.daemon().threads())
                .gauge("sandglass_daemon_descriptors", "Open descriptors of the daemon.", host.daemon().descriptors())
                .gauge("sandglass_event_streams", "Clients that follow the events.", engine.events().subscriptions());
        waiting(text, engine.pools().list());
        budgets(text, engine.budgets().counters());
        traffic.write(text);
        exchange.answerText(Exposition.MEDIA_TYPE, text.bytes());
    }
}
