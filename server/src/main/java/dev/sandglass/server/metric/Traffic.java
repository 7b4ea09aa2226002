package dev.sandglass.server.metric;

import dev.sandglass.wire.ErrorCode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/** What is served and done, how long it takes, and what is refused. Thread-safe. */
public final class Traffic {
    private static final String PROBLEMS = "sandglass_errors_total";
    private static final double[] WORK = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
    private static final double[] FOLLOWING = {1, 10, 60, 600, 3600, 86_400};

    private final Durations served = new Durations(
            "sandglass_request_seconds",
            "How long requests took, by operation of the API and status; without those that follow something.",
            "operation",
            "status",
            WORK);
    private final Durations followed = new Durations(
            "sandglass_stream_seconds",
            "How long clients followed events, output, files or operations, by operation of the API and status.",
            "operation",
            "status",
            FOLLOWING);
    private final Durations done = new Durations(
            "sandglass_operation_seconds",
            "How long it took to do something to a sandbox, whoever wanted it, by what it was and what came of it.",
            "kind",
            "result",
            WORK);
    private static final String ROUTED = "sandglass_route_requests_total";
    private static final String WOKEN = "sandglass_route_wakeups_total";
    private final Map<String, LongAdder> routed = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> woken = new ConcurrentHashMap<>();
    private volatile IntSupplier routeConnections = () -> 0;
    private final Map<ErrorCode, LongAdder> problems = new ConcurrentHashMap<>();

    /** @param operation its id in the API description */
    public void served(String operation, int status, long nanos) {
        served.add(operation, Integer.toString(status), nanos);
    }

    /** The same for an answer that lasts for as long as its client wants it. */
    public void followed(String operation, int status, long nanos) {
        followed.add(operation, Integer.toString(status), nanos);
    }

    /** @param result {@code succeeded}, or the code of an error */
    public void done(String kind, String result, long nanos) {
        done.add(kind, result, nanos);
    }

    public void problem(ErrorCode code) {
        problems.computeIfAbsent(code, _ -> new LongAdder()).increment();
    }

    /** A request from outside to a sandbox was answered, by the sandbox or in its place. */
    public void routed(int status) {
        routed.computeIfAbsent(Math.clamp(status / 100, 0, 9) + "xx", _ -> new LongAdder()).increment();
    }

    /** Requests have woken a sandbox. */
    public void woken(String result) {
        woken.computeIfAbsent(result, _ -> new LongAdder()).increment();
    }

    /** Who knows how many connections of routes are open. */
    public void watchRoutes(IntSupplier open) {
        routeConnections = open;
    }

    public void write(Exposition text) {
        text.family(ROUTED, "counter", "Requests from outside to sandboxes, by class of their status.");
        routed.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(entry -> text.value(ROUTED, entry.getValue().sum(), "class", entry.getKey()));
        text.family(WOKEN, "counter", "Sandboxes that requests have woken, by what came of it.");
        woken.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(entry -> text.value(WOKEN, entry.getValue().sum(), "result", entry.getKey()));
        text.gauge("sandglass_route_connections", "Connections of clients to routes.", routeConnections.getAsInt());
        done.write(text);
        served.write(text);
        followed.write(text);
        text.family(PROBLEMS, "counter", "Errors that were answered, by code.");
        problems.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> text.value(PROBLEMS, entry.getValue().sum(), "code", entry.getKey().text()));
    }
}
