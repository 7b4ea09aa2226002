package dev.sandglass.server.metric;

import dev.sandglass.wire.ErrorCode;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What is served, how long it takes, and what is refused. Thread-safe. */
public final class Traffic {
    private static final String SERVED = "sandglass_request_seconds";
    private static final String PROBLEMS = "sandglass_errors_total";

    private record Outcome(String operation, int status) {}

    private final Map<Outcome, Histogram> served = new ConcurrentHashMap<>();
    private final Map<ErrorCode, LongAdder> problems = new ConcurrentHashMap<>();

    /** @param operation its id in the API description */
    public void served(String operation, int status, long nanos) {
        served.computeIfAbsent(new Outcome(operation, status), _ -> new Histogram()).add(nanos);
    }

    public void problem(ErrorCode code) {
        problems.computeIfAbsent(code, _ -> new LongAdder()).increment();
    }

    public void write(Exposition text) {
        text.family(SERVED, "histogram", "How long requests took, by operation of the API and status.");
        served.entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getKey().operation() + entry.getKey().status()))
                .forEach(entry -> entry.getValue()
                        .write(
                                text,
                                SERVED,
                                "operation",
                                entry.getKey().operation(),
                                "status",
                                Integer.toString(entry.getKey().status())));
        text.family(PROBLEMS, "counter", "Errors that were answered, by code.");
        problems.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> text.value(PROBLEMS, entry.getValue().sum(), "code", entry.getKey().text()));
    }
}
