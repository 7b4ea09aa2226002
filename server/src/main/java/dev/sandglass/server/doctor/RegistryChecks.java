package dev.sandglass.server.doctor;

import dev.sandglass.engine.network.Cidr;
import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.RegistryKind;
import dev.sandglass.engine.network.ReservedAddresses;
import dev.sandglass.network.registry.HostRegistries;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where the package registries are that policies open by their kind, and whether sandboxes can reach them there. */
final class RegistryChecks {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private RegistryChecks() {}

    static List<Finding> run(ReservedAddresses reserved) {
        HostRegistries registries = HostRegistries.ofThisHost();
        return Stream.of(RegistryKind.values()).map(kind -> finding(kind, registries.apply(kind), reserved, RegistryChecks::addresses)).toList();
    }

    /** A host need not use all of them. */
    static Finding finding(RegistryKind kind, Set<Endpoint> found, ReservedAddresses reserved, Function<String, List<Inet4Address>> addresses) {
        String need = "registry " + kind;
        String places = found.stream().map(each -> each.host() + ":" + each.port()).sorted().collect(Collectors.joining(", "));
        if (places.isEmpty()) {
            return Finding.pass(need, "none: the host's configuration names no host, so a policy with it opens none");
        }
        return found.stream().map(each -> closed(need, each.host().text(), reserved, addresses)).flatMap(Optional::stream).findFirst().orElseGet(() -> Finding.pass(need, places));
    }

    private static Optional<Finding> closed(String need, String host, ReservedAddresses reserved, Function<String, List<Inet4Address>> addresses) {
        return addresses.apply(host).stream().filter(each -> reserved.reason(each).isPresent()).findFirst().map(address -> {
            boolean canBeOpened = ReservedAddresses.isOpenable(Cidr.of(address)) && !reserved.reason(address).equals(Optional.of("the host's own"));
            String remedy = canBeOpened
                    ? "Put `network_private: " + address.getHostAddress() + "`, or its network, into the settings, and restart the daemon."
                    : "No setting opens it: have the registry at another address.";
            return Finding.warn(need, host + " is at " + address.getHostAddress() + " (" + reserved.reason(address).orElseThrow() + "), which no sandbox reaches", remedy);
        });
    }

    /** As the host finds them, and none if that takes long. */
    private static List<Inet4Address> addresses(String host) {
        FutureTask<InetAddress[]> look = new FutureTask<>(() -> InetAddress.getAllByName(host));
        Thread.startVirtualThread(look);
        try {
            return Stream.of(look.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).filter(Inet4Address.class::isInstance).map(Inet4Address.class::cast).toList();
        } catch (ExecutionException | TimeoutException unknown) {
            return List.of();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }
}
