package dev.sandglass.server;

import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.HealthCheck;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A service to be made, with what a test cares about. */
final class ServiceRequest {
    private final String name;
    private final List<String> argv;
    private @Nullable String cwd;
    private @Nullable Map<String, String> env;
    private @Nullable String user;
    private @Nullable Integer port;
    private @Nullable String restart;
    private @Nullable Integer maxRestarts;
    private @Nullable Long backoffMs;
    private @Nullable HealthCheck health;
    private @Nullable List<String> after;
    private @Nullable Boolean start;
    private @Nullable Boolean replace;

    private ServiceRequest(String name, List<String> argv) {
        this.name = name;
        this.argv = argv;
    }

    static ServiceRequest of(String name, String... argv) {
        return new ServiceRequest(name, List.of(argv));
    }

    static ServiceRequest shell(String name, String script) {
        return of(name, "sh", "-c", script);
    }

    /** One that runs until it is ended. */
    static ServiceRequest lasting(String name) {
        return of(name, "sleep", "infinity");
    }

    ServiceRequest in(String directory) {
        cwd = directory;
        return this;
    }

    ServiceRequest env(Map<String, String> variables) {
        env = variables;
        return this;
    }

    ServiceRequest as(String owner) {
        user = owner;
        return this;
    }

    ServiceRequest port(int number) {
        port = number;
        return this;
    }

    ServiceRequest restart(String when) {
        restart = when;
        return this;
    }

    ServiceRequest restart(String when, int most, long backoff) {
        maxRestarts = most;
        backoffMs = backoff;
        return restart(when);
    }

    ServiceRequest healthy(HealthCheck check) {
        health = check;
        return this;
    }

    ServiceRequest after(String... others) {
        after = List.of(others);
        return this;
    }

    ServiceRequest unstarted() {
        start = false;
        return this;
    }

    ServiceRequest replacing() {
        replace = true;
        return this;
    }

    CreateService toWire() {
        return new CreateService(name, argv, null, cwd, env, user, port, restart, maxRestarts, backoffMs, health, after, start, replace);
    }
}
