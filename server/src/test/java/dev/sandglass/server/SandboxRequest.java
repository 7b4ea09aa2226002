package dev.sandglass.server;

import dev.sandglass.wire.CreateSandbox;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request for a sandbox with only what a test cares about. */
final class SandboxRequest {
    private @Nullable String name;
    private @Nullable String runtime;
    private @Nullable String security;
    private @Nullable Long memoryMb;
    private @Nullable Double cpus;
    private @Nullable Long diskMb;
    private @Nullable Long processes;
    private @Nullable Map<String, String> env;
    private @Nullable Map<String, String> labels;

    static SandboxRequest on(String runtime) {
        SandboxRequest request = new SandboxRequest();
        request.runtime = runtime;
        return request;
    }

    SandboxRequest name(String text) {
        name = text;
        return this;
    }

    SandboxRequest security(String profile) {
        security = profile;
        return this;
    }

    SandboxRequest memoryMb(long limit) {
        memoryMb = limit;
        return this;
    }

    SandboxRequest cpus(double limit) {
        cpus = limit;
        return this;
    }

    SandboxRequest diskMb(long limit) {
        diskMb = limit;
        return this;
    }

    SandboxRequest processes(long limit) {
        processes = limit;
        return this;
    }

    SandboxRequest env(Map<String, String> variables) {
        env = variables;
        return this;
    }

    SandboxRequest labels(Map<String, String> pairs) {
        labels = pairs;
        return this;
    }

    CreateSandbox toWire() {
        return new CreateSandbox(name, runtime, security, memoryMb, cpus, diskMb, processes, env, labels);
    }
}
