package dev.sandglass.server.e2b;

import dev.sandglass.server.e2b.sandbox.Facts;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Which sandboxes a client wants to see, and in which order. */
record SandboxListing(Set<String> states, Map<String, String> metadata, Optional<Instant> startedAfter, Optional<String> template, boolean oldestFirst) {
    private static final Set<String> BOTH = Set.of(Presentation.RUNNING, Presentation.PAUSED);

    static SandboxListing of(Call call) {
        List<String> states = call.queries("state").stream().flatMap(text -> Stream.of(text.split(","))).filter(text -> !text.isEmpty()).toList();
        states.stream().filter(state -> !BOTH.contains(state)).findFirst().ifPresent(unknown -> {
            throw invalid("state", unknown, "running or paused");
        });
        return new SandboxListing(
                states.isEmpty() ? BOTH : Set.copyOf(states),
                metadata(call.query("metadata").orElse("")),
                call.query("startedAfter").filter(text -> !text.isEmpty()).map(SandboxListing::time),
                call.query("template").filter(text -> !text.isEmpty()),
                call.query("order").filter("asc"::equals).isPresent());
    }

    /** Those that run, whatever else is asked: so it was for the first clients. */
    SandboxListing running() {
        return new SandboxListing(Set.of(Presentation.RUNNING), metadata, startedAfter, template, oldestFirst);
    }

    /** Clients escape names and values, and then again the query that they make of them. */
    private static Map<String, String> metadata(String query) {
        Map<String, String> wanted = new HashMap<>();
        try {
            for (String pair : query.isEmpty() ? new String[0] : query.split("&")) {
                String[] parts = pair.split("=", 2);
                wanted.put(decoded(parts[0]), parts.length < 2 ? "" : decoded(parts[1]));
            }
        } catch (IllegalArgumentException malformed) {
            throw invalid("metadata", query, "names and values, escaped twice");
        }
        return wanted;
    }

    private static String decoded(String text) {
        String once = URLDecoder.decode(text, StandardCharsets.UTF_8);
        return URLDecoder.decode(once.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException none) {
            throw invalid("startedAfter", text, "a time such as 2026-11-15T20:49:43Z");
        }
    }

    private static SandglassException invalid(String field, String value, String expected) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, field + ": " + Ids.shown(value) + " (expected: " + expected + ")", "");
    }

    boolean wants(Sandbox sandbox) {
        return Presentation.state(sandbox).filter(states::contains).isPresent()
                && (metadata.isEmpty() || Facts.metadata(sandbox.labels()).entrySet().containsAll(metadata.entrySet()))
                && startedAfter.filter(Presentation.startedAt(sandbox)::isBefore).isEmpty()
                && template.filter(name -> !name.equals(Facts.of(sandbox.labels()).template())).isEmpty();
    }

    /** When it began, and its id where that is the same. */
    static String place(Sandbox sandbox) {
        return "%015d %s".formatted(Presentation.startedAt(sandbox).toEpochMilli(), sandbox.id());
    }

    Comparator<String> order() {
        return oldestFirst ? Comparator.naturalOrder() : Comparator.reverseOrder();
    }
}
