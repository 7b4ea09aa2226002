package dev.sandglass.network.registry;

import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.RegistryKind;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registries of the host, by kind; none of a kind that it does not use. What was found is kept as long as the files that said it stay as they are. What cannot
 * be read opens nothing, and no standard takes its place. Thread-safe.
 */
public final class HostRegistries implements Function<RegistryKind, Set<Endpoint>> {
    private static final Logger LOG = LoggerFactory.getLogger(HostRegistries.class);
    private static final int MOST = 256;

    private final Path root;
    private final Map<String, String> environment;
    private final Map<RegistryKind, Known> known = new EnumMap<>(RegistryKind.class);

    /**
     * Those of a host.
     *
     * @param root below which its files are
     * @param environment of the user whose configuration counts, as the programs would see it
     */
    public HostRegistries(Path root, Map<String, String> environment) {
        this.root = root;
        this.environment = Map.copyOf(environment);
        for (RegistryKind kind : RegistryKind.values()) {
            known.put(kind, new Known(kind));
        }
    }

    /** Those of this host, as this process would use them. */
    public static HostRegistries ofThisHost() {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.putIfAbsent("HOME", System.getProperty("user.home")); // a service manager may leave it out
        return new HostRegistries(Path.of("/"), environment);
    }

    @Override
    public Set<Endpoint> apply(RegistryKind kind) {
        return Objects.requireNonNull(known.get(kind)).now();
    }

    /** Where a program of that kind gets packages from by itself, without the secrets of the host; empty if the host does not use it. */
    public Optional<String> address(RegistryKind kind) {
        Known one = Objects.requireNonNull(known.get(kind));
        one.now();
        return one.address;
    }

    /** What is known of a kind. Each has its own lock: a program that is slow to answer holds up nobody who asks for another. */
    private final class Known {
        private final RegistryKind kind;
        private Optional<Look> last = Optional.empty();
        private Set<Endpoint> found = Set.of();
        private volatile Optional<String> address = Optional.empty();

        Known(RegistryKind kind) {
            this.kind = kind;
        }

        synchronized Set<Endpoint> now() {
            if (last.filter(Look::stillHolds).isEmpty()) {
                Look look = new Look(root, environment);
                found = find(look);
                last = Optional.of(look);
                LOG.debug("{}: {}", kind, found);
            }
            return found;
        }

        private Set<Endpoint> find(Look look) {
            try {
                List<String> urls = urls(look).limit(MOST).toList();
                address = urls.stream().filter(url -> Place.of(url).isPresent()).findFirst().map(Place::withoutSecrets);
                return urls.stream().flatMap(url -> Place.of(url).stream()).collect(Collectors.toUnmodifiableSet());
            } catch (RuntimeException problem) {
                address = Optional.empty();
                LOG.warn("Where the host's {} is cannot be told, so no policy opens it", kind, problem);
                return Set.of();
            }
        }

        private Stream<String> urls(Look look) {
            return switch (kind) {
                case APT -> AptSources.urls(look);
                case NPM -> NpmSettings.urls(look);
                case PIP -> PipSettings.urls(look);
                case MAVEN -> MavenSettings.urls(look);
            };
        }
    }
}
