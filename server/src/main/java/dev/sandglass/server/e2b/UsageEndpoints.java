package dev.sandglass.server.e2b;

import dev.sandglass.engine.event.Events;
import dev.sandglass.engine.usage.Usages;
import dev.sandglass.server.e2b.json.LaterLogs;
import dev.sandglass.server.e2b.json.LogEntry;
import dev.sandglass.server.e2b.json.LogLine;
import dev.sandglass.server.e2b.json.LogText;
import dev.sandglass.server.e2b.json.Metric;
import dev.sandglass.server.e2b.json.SandboxLogs;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.EventList;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Sample;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxLimits;
import dev.sandglass.wire.SandboxStats;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What sandboxes use, and what happened in them. Thread-safe. */
final class UsageEndpoints {
    private static final int PAGE = 1000;
    private static final double PERCENT = 100;

    private final Usages usages;
    private final Events events;
    private final Visible visible;

    UsageEndpoints(Usages usages, Events events, Visible visible) {
        this.usages = usages;
        this.events = events;
        this.visible = visible;
    }

    List<Endpoint> all() {
        return List.of(
                Endpoint.of("GET", "/sandboxes/{sandbox}/metrics", this::metrics),
                Endpoint.of("GET", "/sandboxes/{sandbox}/logs", this::logs),
                Endpoint.of("GET", "/v2/sandboxes/{sandbox}/logs", this::laterLogs),
                Endpoint.of("GET", "/sandboxes/metrics", (call, _) -> newest(call)));
    }

    /** One that rests has none. */
    private void metrics(Call call, String id) throws IOException {
        Sandbox sandbox = visible.get(id);
        OptionalLong start = seconds(call, "start");
        OptionalLong end = seconds(call, "end");
        call.answer(200, JsonList.json(metrics(sandbox).stream()
                .filter(metric -> start.isEmpty() || metric.timestampUnix() >= start.getAsLong())
                .filter(metric -> end.isEmpty() || metric.timestampUnix() <= end.getAsLong())
                .toList()));
    }

    private List<Metric> metrics(Sandbox sandbox) {
        if (!sandbox.state().equals(Presentation.RUNNING)) {
            return List.of();
        }
        SandboxStats stats = usages.of(sandbox.id());
        List<Sample> samples = new ArrayList<>(Objects.requireNonNullElse(stats.history(), List.of()));
        if (samples.isEmpty()) {
            samples.add(stats.now());
        }
        return samples.stream().map(sample -> metric(sample, stats.limits())).toList();
    }

    private static Metric metric(Sample sample, SandboxLimits limits) {
        long disk = Objects.requireNonNullElse(sample.diskBytes(), 0L);
        return new Metric(
                sample.at(),
                sample.at().getEpochSecond(),
                (int) Math.max(1, Math.ceil(limits.cpus())),
                Math.round(sample.cpus() / limits.cpus() * PERCENT * PERCENT) / PERCENT,
                sample.memoryBytes(),
                limits.memoryBytes(),
                0,
                disk,
                limits.diskBytes());
    }

    /** The last of several, by id. */
    private void newest(Call call) throws IOException {
        List<String> ids = call.queries("sandbox_ids").stream().flatMap(text -> List.of(text.split(",")).stream()).filter(text -> !text.isEmpty()).toList();
        String found = ids.stream()
                .limit(PAGE)
                .map(id -> "\"" + Ids.sandbox(id).undashed() + "\":" + Json.write(metrics(visible.get(id)).getLast()))
                .collect(Collectors.joining(",", "{\"sandboxes\":{", "}}"));
        call.answer(200, found.getBytes(StandardCharsets.UTF_8));
    }

    private void logs(Call call, String id) throws IOException {
        Instant from = Instant.ofEpochMilli(seconds(call, "start").orElse(0));
        int limit = Math.clamp(seconds(call, "limit").orElse(PAGE), 0, PAGE);
        List<LogEntry> entries = entries(visible.existing(id).id(), from).stream().limit(limit).toList();
        call.answer(200, new SandboxLogs(entries.stream().map(UsageEndpoints::line).toList(), entries));
    }

    private void laterLogs(Call call, String id) throws IOException {
        Instant from = Instant.ofEpochMilli(seconds(call, "cursor").orElse(0));
        boolean backward = call.query("direction").filter("backward"::equals).isPresent();
        int limit = Math.clamp(seconds(call, "limit").orElse(PAGE), 0, PAGE);
        List<LogEntry> entries = entries(visible.existing(id).id(), backward ? Instant.EPOCH : from);
        List<LogEntry> asked = backward ? entries.reversed().stream().filter(entry -> from.equals(Instant.EPOCH) || !entry.timestamp().isAfter(from)).toList() : entries;
        call.answer(200, new LaterLogs(asked.stream().limit(limit).toList()));
    }

    private List<LogEntry> entries(String sandbox, Instant from) {
        List<LogEntry> entries = new ArrayList<>();
        long after = 0;
        EventList page;
        do {
            page = events.page(Optional.of(sandbox), Set.of(), after, PAGE);
            page.events().stream().filter(event -> !event.at().isBefore(from)).map(UsageEndpoints::entry).forEach(entries::add);
            after = page.next();
        } while (page.events().size() == PAGE);
        return entries;
    }

    private static LogEntry entry(Event event) {
        String level = event.type().endsWith(".failed") ? "error" : "info";
        String facts = new TreeMap<>(event.data()).entrySet().stream().map(fact -> fact.getKey() + "=" + fact.getValue()).collect(Collectors.joining(" "));
        return new LogEntry(event.at(), level, facts.isEmpty() ? event.type() : event.type() + " " + facts, null, event.data());
    }

    private static LogLine line(LogEntry entry) {
        return new LogLine(entry.timestamp(), Json.write(new LogText(entry.level(), "sandglass", entry.message(), entry.timestamp())));
    }

    private static OptionalLong seconds(Call call, String name) {
        Optional<String> text = call.query(name).filter(value -> !value.isEmpty());
        if (text.isPresent() && !text.get().matches("[0-9]{1,15}")) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, name + ": " + Ids.shown(text.get()) + " (expected: a whole number)", "");
        }
        return text.map(value -> OptionalLong.of(Long.parseLong(value))).orElse(OptionalLong.empty());
    }
}
