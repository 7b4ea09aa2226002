package dev.sandglass.client;

import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.HealthCheck;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a service is run; what is not said has its default. */
public final class ServiceOptions {
    private final Map<String, String> envs = new HashMap<>();
    private @Nullable Integer port;
    private @Nullable String cwd;
    private @Nullable String user;
    private @Nullable String restart;
    private @Nullable String healthPath;
    private @Nullable Boolean replace;

    ServiceOptions() {}

    /** Where it listens; it finds it in PORT. */
    public ServiceOptions port(int number) {
        port = number;
        return this;
    }

    public ServiceOptions env(String key, String value) {
        envs.put(key, value);
        return this;
    }

    public ServiceOptions cwd(String directory) {
        cwd = directory;
        return this;
    }

    public ServiceOptions user(String name) {
        user = name;
        return this;
    }

    /** {@code never}, {@code on-failure} or {@code always}. */
    public ServiceOptions restart(String when) {
        restart = when;
        return this;
    }

    /** It is well while this path of its port answers. */
    public ServiceOptions healthPath(String path) {
        healthPath = path;
        return this;
    }

    /** Takes the place of one of that name. */
    public ServiceOptions replace() {
        replace = true;
        return this;
    }

    CreateService request(String name, List<String> argv) {
        HealthCheck health = healthPath == null ? null : new HealthCheck(null, healthPath, null, null, null, null);
        return new CreateService(name, argv, null, cwd, envs, user, port, restart, null, null, health, null, null, replace);
    }
}
