package dev.sandglass.engine.route;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.CreateRoute;
import dev.sandglass.wire.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An entry for HTTP requests from outside to a port of a sandbox.
 *
 * @param name empty for a port that no route is for, which links alone open
 * @param methods none are all
 * @param prefix which paths it is for
 * @param rewrite what stands in the prefix's place for the sandbox
 * @param timeout until the first byte of an answer
 * @param resume whether a request wakes a paused sandbox that use is to wake
 * @param webSocket whether a connection may become one
 * @param forwarded whether the program is told who asks for what; else a request looks as one of the sandbox itself
 * @param generation what links of another one are worthless
 */
public record Route(
        SandboxId sandbox,
        String name,
        int port,
        Access access,
        Set<String> methods,
        RoutePath prefix,
        Optional<RoutePath> rewrite,
        Optional<Cors> cors,
        Optional<Rate> rate,
        Duration timeout,
        boolean resume,
        boolean webSocket,
        boolean forwarded,
        String generation,
        Instant createdAt) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final Pattern METHOD = Pattern.compile("[A-Z][A-Z0-9_-]{0,31}");
    private static final RoutePath EVERYWHERE = new RoutePath("");
    private static final int DEFAULT_TIMEOUT = 60;
    private static final int LONGEST_TIMEOUT = 3600;

    public Route {
        methods = Set.copyOf(methods);
        if (port < 1 || port > 65535) {
            throw Refusal.of("port", Integer.toString(port), "1 to 65535");
        }
        methods.forEach(method -> requireMethod("methods", method));
    }

    static void requireMethod(String field, String method) {
        if (!METHOD.matcher(method).matches()) {
            throw Refusal.of(field, method, "a method in upper case, like GET");
        }
    }

    /** The one that somebody asks for. */
    static Route of(SandboxId sandbox, CreateRoute request, String generation, Instant now) {
        String name = request.name();
        if (!NAME.matcher(name).matches() || DIGITS.matcher(name).matches()) {
            throw Refusal.of("name", name, "1 to 63 letters, digits, '_', '.', '-', beginning with a letter or digit, not digits alone");
        }
        int timeout = Objects.requireNonNullElse(request.timeout(), DEFAULT_TIMEOUT);
        if (timeout < 1 || timeout > LONGEST_TIMEOUT) {
            throw Refusal.of("timeout", Integer.toString(timeout), "1 to " + LONGEST_TIMEOUT + " seconds");
        }
        return new Route(
                sandbox,
                name,
                request.port(),
                Access.of(request.access(), request.auth(), request.header()),
                Set.copyOf(Objects.requireNonNullElse(request.methods(), List.of())),
                request.pathPrefix() == null ? EVERYWHERE : RoutePath.of("path_prefix", request.pathPrefix()),
                Optional.ofNullable(request.rewrite()).map(path -> RoutePath.of("rewrite", path)),
                Optional.ofNullable(request.cors()).map(Cors::of),
                Optional.ofNullable(request.rate()).map(Rate::of),
                Duration.ofSeconds(timeout),
                Boolean.TRUE.equals(request.resume()),
                !Boolean.FALSE.equals(request.websocket()),
                !Boolean.FALSE.equals(request.forwarded()),
                generation,
                now);
    }

    /** What links to a port open that no route is for. Who was given one is as welcome as its owner, so it wakes what use is to wake. */
    static Route ofPort(SandboxId sandbox, int port, String generation) {
        return new Route(
                sandbox, "", port, new Access.Linked(), Set.of(), EVERYWHERE, Optional.empty(), Optional.empty(), Optional.empty(), Duration.ofSeconds(DEFAULT_TIMEOUT),
                true, true, true, generation, Instant.EPOCH);
    }

    /** Whether it takes requests with that method. */
    public boolean allows(String method) {
        return methods.isEmpty() || methods.contains(method);
    }

    /**
     * The path that the sandbox is asked for; nothing if the route is not for that one. Where only a part of the paths is meant, one that might climb out of it in
     * the eyes of whoever reads it next is not.
     *
     * @param path as it stands in a request, beginning with a slash, without the query, and without what names sandbox and route
     */
    public Optional<String> inside(String path) {
        boolean confined = rewrite.isPresent() || !prefix.text().isEmpty();
        if (confined && RoutePath.mayClimb(path)) {
            return Optional.empty();
        }
        return prefix.rest(path).map(rest -> {
            String whole = rewrite.orElse(prefix).text() + rest;
            return whole.isEmpty() ? "/" : whole;
        });
    }

    /**
     * Where a path of the sandbox is outside, the other way round of {@link #inside}; one that the route does not lead to stays as it is.
     *
     * @param path beginning with a slash, with a query and the like or without
     */
    public String outside(String path) {
        int end = RoutePath.end(path);
        return rewrite.flatMap(inner -> inner.rest(path.substring(0, end)))
                .map(rest -> prefix.text() + rest)
                .map(whole -> (whole.isEmpty() ? "/" : whole) + path.substring(end))
                .orElse(path);
    }

    Route generation(String next) {
        return new Route(sandbox, name, port, access, methods, prefix, rewrite, cors, rate, timeout, resume, webSocket, forwarded, next, createdAt);
    }

    /** As the API shows it. */
    public dev.sandglass.wire.Route toWire(Entrance entrance) {
        return new dev.sandglass.wire.Route(
                sandbox.text(),
                name,
                port,
                access instanceof Access.Public ? "public" : "private",
                switch (access) {
                    case Access.Bearer() -> "bearer";
                    case Access.Header _ -> "header";
                    case Access.Public(), Access.Linked() -> null;
                },
                access instanceof Access.Header(String header) ? header : null,
                methods.stream().sorted().toList(),
                prefix.toString(),
                rewrite.map(RoutePath::toString).orElse(null),
                cors.map(Cors::toWire).orElse(null),
                rate.map(Rate::toWire).orElse(null),
                (int) timeout.toSeconds(),
                resume,
                webSocket,
                forwarded,
                entrance.byPath(this),
                entrance.byHost(this),
                createdAt,
                null,
                null);
    }
}
