package dev.sandglass.server.metric;

import dev.sandglass.wire.ErrorCode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

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

    public void write(Exposition text) {
        done.write(text);
        served.write(text);
        followed.write(text);
        text.family(PROBLEMS, "counter", "Errors that were answered, by code.");
        problems.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> text.value(PROBLEMS, entry.getValue().sum(), "code", entry.getKey().text()));
    }
}
