package dev.sandglass.server;

import dev.sandglass.engine.life.Defaults;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.server.http.HttpSettings;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What the daemon was told, checked. */
record Configuration(Places places, HttpSettings http, PoolOptions pool, Defaults defaults) {
    private static final long MIB = 1 << 20;

    static Configuration read(Map<String, String> environment) {
        Settings settings = Settings.read(environment);
        Places places = Places.of(environment);
        return new Configuration(places, http(settings, places), pool(settings), defaults(settings));
    }

    private static HttpSettings http(Settings settings, Places places) {
        HttpSettings standard = HttpSettings.at(places.socket());
        String listen = settings.text("listen").orElse(standard.host() + ":" + standard.port());
        int colon = listen.lastIndexOf(':');
        Set<String> names = settings.text("host_names").stream()
                .flatMap(text -> Arrays.stream(text.split("[,\\s]+")))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet());
        try {
            return new HttpSettings(
                    listen.substring(0, Math.max(0, colon)),
                    Integer.parseInt(listen.substring(colon + 1)),
                    standard.socket(),
                    names,
                    standard.maxConnections());
        } catch (IllegalArgumentException problem) {
            throw Settings.invalid("listen: " + listen + " (expected: ADDRESS:PORT)", problem);
        }
    }

    private static PoolOptions pool(Settings settings) {
        try {
            PoolOptions options = settings.text("pool").map(kind -> PoolOptions.of(PoolKind.of(kind))).orElse(PoolOptions.DEFAULT);
            long size = settings.number("pool_size_mb", 0);
            return size == 0 ? options : options.imageBytes(size * MIB);
        } catch (IllegalArgumentException problem) {
            throw Settings.invalid(String.valueOf(problem.getMessage()), problem);
        }
    }

    private static Defaults defaults(Settings settings) {
        Defaults standard = Defaults.standard(Runtime.getRuntime().availableProcessors());
        Limits limits = standard.limits();
        String security = settings.text("security").orElse(standard.security().text());
        try {
            return new Defaults(
                    settings.text("runtime").orElse(standard.runtime()),
                    Security.valueOf(security.toUpperCase(Locale.ROOT)),
                    new Limits(
                            settings.number("memory_mb", limits.memoryBytes() / MIB) * MIB,
                            settings.decimal("cpus", limits.cpus()),
                            settings.number("disk_mb", limits.diskBytes() / MIB) * MIB,
                            settings.number("max_processes", limits.processes())),
                    standard.hostCpus());
        } catch (IllegalArgumentException problem) {
            throw Settings.invalid("security: " + security + " (expected: strict or standard)", problem);
        }
    }
}
