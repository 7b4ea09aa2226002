package dev.sandglass.server;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.life.Ahead;
import dev.sandglass.engine.life.Defaults;
import dev.sandglass.engine.network.Cidr;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.ReservedAddresses;
import dev.sandglass.engine.oci.Reference;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.engine.template.TemplateSettings;
import dev.sandglass.linux.HostMemory;
import dev.sandglass.network.egress.Outside;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.runtime.Runtimes;
import dev.sandglass.server.http.HttpSettings;
import dev.sandglass.server.route.RouteSettings;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the daemon was told, all of it checked before anything is done: a wrong default must not wait for the first sandbox. */
record Configuration(Places places, HttpSettings http, RouteSettings routes, PoolOptions pool, Defaults defaults, Outside outside, long snapshotBytes, boolean raisesKernelCounts, Ahead ahead, Optional<String> imageRegistry, List<Template> builtIns) {
    private static final Pattern LISTEN = Pattern.compile("(localhost|[0-9.]+|\\[[0-9A-Fa-f:.]+]):([0-9]{1,5})");
    private static final Pattern HOST_NAME = Pattern.compile("[A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]+]");
    private static final Pattern DOMAIN = Pattern.compile("(?!.{192})[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*");
    private static final Pattern URL = Pattern.compile("(https?)://([a-z0-9.-]+)(?::([0-9]{1,5}))?/?");
    private static final int HTTP = 80;
    private static final int HTTPS = 443;
    private static final int HIGHEST_PORT = 65535;
    private static final long MOST_WAKE_SECONDS = 600;
    private static final long MOST_REQUESTS = 1_000_000;
    private static final long MIB = 1 << 20;
    private static final int DNS = 53;
    private static final long POOLS_SHARE = 4;
    private static final long LEAST_POOL_MB = 128;
    private static final long MOST_POOL_MB = 1 << 30;

    static Configuration read(Map<String, String> environment) {
        Settings settings = Settings.read(environment);
        Places places = Places.of(environment);
        return new Configuration(
                places,
                http(settings, places),
                routes(settings),
                pool(settings),
                defaults(settings),
                outside(settings),
                snapshotBytes(settings),
                settings.flag("raise_kernel_counts", true),
                ahead(settings),
                imageRegistry(settings),
                BuiltInChoice.of(settings));
    }

    private static Optional<String> imageRegistry(Settings settings) {
        Optional<String> registry = settings.text("image_registry");
        if (!registry.stream().allMatch(Reference::isRegistry)) {
            throw settings.invalid("image_registry", "the host of a registry, with :PORT where it is another", null);
        }
        return registry;
    }

    /** @param image the base image of now */
    TemplateSettings templates(Supplier<Image> image) {
        return new TemplateSettings(image, defaults.network(), defaults.runtime(), defaults.limits().memoryBytes() / MIB, builtIns);
    }

    private static HttpSettings http(Settings settings, Places places) {
        HttpSettings standard = HttpSettings.at(places.socket());
        List<String> names = settings.words("host_names");
        if (!names.stream().allMatch(name -> HOST_NAME.matcher(name).matches())) {
            throw settings.invalid("host_names", "names with commas between them", null);
        }
        long rate = settings.number("rate_limit", standard.requestsPerSecond());
        if (rate < 0 || rate > MOST_REQUESTS) {
            throw settings.invalid("rate_limit", "requests per second, 0 to " + MOST_REQUESTS, null);
        }
        HostPort at = listen(settings, "listen", standard.host(), standard.port());
        return new HttpSettings(at.host(), at.port(), standard.socket(), new HashSet<>(names), standard.maxConnections()).withRequestsPerSecond((int) rate);
    }

    private static RouteSettings routes(Settings settings) {
        Optional<RouteSettings.Front> front = front(settings);
        String standard = front.map(RouteSettings.Front::host).orElse(RouteSettings.DEFAULT_DOMAIN);
        String domain = settings.text("route_domain").orElse(standard).toLowerCase(Locale.ROOT);
        if (!DOMAIN.matcher(domain).matches()) {
            throw settings.invalid("route_domain", "a domain, such as " + RouteSettings.DEFAULT_DOMAIN, null);
        }
        long wait = settings.number("route_wake_seconds", RouteSettings.DEFAULT_WAKE_PATIENCE.toSeconds());
        if (wait < 1 || wait > MOST_WAKE_SECONDS) {
            throw settings.invalid("route_wake_seconds", "1 to " + MOST_WAKE_SECONDS, null);
        }
        HostPort at = listen(settings, "route_listen", "127.0.0.1", RouteSettings.DEFAULT_PORT);
        return new RouteSettings(at.host(), at.port(), domain, front, new HashSet<>(settings.words("host_names")), Duration.ofSeconds(wait));
    }

    private static Optional<RouteSettings.Front> front(Settings settings) {
        return settings.text("route_url").map(text -> {
            Matcher parts = URL.matcher(text.toLowerCase(Locale.ROOT));
            boolean right = parts.matches() && DOMAIN.matcher(parts.group(2)).matches();
            int port = !right ? -1 : parts.group(3) != null ? Integer.parseInt(parts.group(3)) : parts.group(1).equals("https") ? HTTPS : HTTP;
            if (port < 1 || port > HIGHEST_PORT) {
                throw settings.invalid("route_url", "https://DOMAIN or http://DOMAIN, with :PORT where it is another, and no path", null);
            }
            return new RouteSettings.Front(parts.group(1), parts.group(2), port);
        });
    }

    private record HostPort(String host, int port) {}

    private static HostPort listen(Settings settings, String name, String host, int port) {
        Matcher parts = LISTEN.matcher(settings.text(name).orElse(host + ":" + port));
        try {
            if (!parts.matches() || Integer.parseInt(parts.group(2)) > HIGHEST_PORT) {
                throw new IllegalArgumentException(name);
            }
            String address = parts.group(1);
            if (!address.equals("localhost")) {
                InetAddress.ofLiteral(address.startsWith("[") ? address.substring(1, address.length() - 1) : address);
            }
            return new HostPort(address, Integer.parseInt(parts.group(2)));
        } catch (IllegalArgumentException problem) {
            throw settings.invalid(name, "ADDRESS:PORT, such as 127.0.0.1:" + port + " or [::1]:" + port, problem);
        }
    }

    private static PoolOptions pool(Settings settings) {
        PoolOptions options;
        try {
            options = settings.text("pool").map(kind -> PoolOptions.of(PoolKind.of(kind))).orElse(PoolOptions.DEFAULT);
        } catch (IllegalArgumentException problem) {
            throw settings.invalid("pool", "btrfs, btrfs-loop, reflink or copy", problem);
        }
        if (settings.text("pool_size_mb").isEmpty()) {
            return options;
        }
        long size = settings.number("pool_size_mb", 0);
        if (size < LEAST_POOL_MB || size > MOST_POOL_MB) {
            throw settings.invalid("pool_size_mb", LEAST_POOL_MB + " to " + MOST_POOL_MB, null);
        }
        return options.imageBytes(size * MIB);
    }

    /** 0 is what the room there is allows. */
    private static long snapshotBytes(Settings settings) {
        long quota = settings.number("snapshot_quota_mb", 0);
        if (quota < 0 || quota > MOST_POOL_MB) {
            throw settings.invalid("snapshot_quota_mb", "0 to " + MOST_POOL_MB, null);
        }
        return quota * MIB;
    }

    /** What waits in pools may take a quarter of the machine's memory if the owner does not say. */
    private static Ahead ahead(Settings settings) {
        long megabytes = settings.number("pool_memory_mb", HostMemory.total() / MIB / POOLS_SHARE);
        if (megabytes < 0 || megabytes > MOST_POOL_MB) {
            throw settings.invalid("pool_memory_mb", "0 to " + MOST_POOL_MB, null);
        }
        return new Ahead(settings.flag("keep_spares", true), megabytes * MIB);
    }

    private static Defaults defaults(Settings settings) {
        Defaults standard = Defaults.standard(Runtime.getRuntime().availableProcessors());
        String runtime = settings.text("runtime").orElse(standard.runtime());
        if (!runtime.equals("auto") && !Runtimes.NAMES.contains(runtime)) {
            throw settings.invalid("runtime", "auto, " + String.join(", ", Runtimes.NAMES), null);
        }
        Security security = Security.of(settings.text("security").orElse(standard.security().text()))
                .orElseThrow(() -> settings.invalid("security", "strict or standard", null));
        return new Defaults(runtime, security, limits(settings, standard.limits()), seconds(settings, "timeout"), seconds(settings, "ttl"), seconds(settings, "hard_ttl"), standard.hostCpus(), network(settings, standard.network()));
    }

    private static Outside outside(Settings settings) {
        List<InetSocketAddress> resolvers = new ArrayList<>();
        try {
            settings.words("network_resolvers").forEach(each -> resolvers.add(new InetSocketAddress(InetAddress.ofLiteral(each), DNS)));
        } catch (IllegalArgumentException problem) {
            throw settings.invalid("network_resolvers", "addresses with commas between them", problem);
        }
        return new Outside(settings.text("network_namespace").map(Path::of), List.copyOf(resolvers), settings.text("network_trust").map(Path::of), opened(settings));
    }

    /** What stays closed whatever anybody says is not to be named here: nobody is to believe that it was opened. */
    private static List<Cidr> opened(Settings settings) {
        try {
            List<Cidr> networks = settings.words("network_private").stream().map(Cidr::parse).toList();
            if (!networks.stream().allMatch(ReservedAddresses::isOpenable)) {
                throw settings.invalid("network_private", "networks within " + ReservedAddresses.openable(), null);
            }
            return networks;
        } catch (SandglassException problem) {
            throw settings.invalid(problem);
        }
    }

    /** @param standard that of an installation that says nothing */
    private static Optional<Policy> network(Settings settings, Optional<Policy> standard) {
        Optional<String> said = settings.text("network");
        if (said.isEmpty()) {
            return standard;
        }
        String name = said.get();
        try {
            return name.equals("none") ? Optional.empty() : Optional.of(Policy.preset(name));
        } catch (SandglassException problem) {
            throw settings.invalid("network", "none, open or package-registries", problem);
        }
    }

    /** 0 is never. */
    private static long seconds(Settings settings, String name) {
        long seconds = settings.number(name, 0);
        if (seconds < 0 || seconds > Integer.MAX_VALUE) {
            throw settings.invalid(name, "0 to " + Integer.MAX_VALUE + " seconds", null);
        }
        return seconds;
    }

    private static Limits limits(Settings settings, Limits standard) {
        try {
            return Limits.of(
                    settings.number("memory_mb", standard.memoryBytes() / MIB),
                    settings.decimal("cpus", standard.cpus()),
                    settings.number("disk_mb", standard.diskBytes() / MIB),
                    settings.number("max_processes", standard.processes()));
        } catch (SandglassException problem) {
            throw settings.invalid(problem);
        }
    }
}
