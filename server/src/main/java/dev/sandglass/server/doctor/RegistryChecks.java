package dev.sandglass.server.doctor;

import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.RegistryKind;
import dev.sandglass.network.registry.HostRegistries;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where the package registries are that policies open by their kind. */
final class RegistryChecks {
    private RegistryChecks() {}

    static List<Finding> run() {
        HostRegistries registries = HostRegistries.ofThisHost();
        return Stream.of(RegistryKind.values()).map(kind -> finding(kind, registries.apply(kind))).toList();
    }

    /** A host need not use all of them. */
    private static Finding finding(RegistryKind kind, Set<Endpoint> found) {
        String places = found.stream().map(each -> each.host() + ":" + each.port()).sorted().collect(Collectors.joining(", "));
        return Finding.pass("registry " + kind, places.isEmpty() ? "none: the host's configuration names no host, so a policy with it opens none" : places);
    }
}
