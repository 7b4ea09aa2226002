package dev.sandglass.network.egress;

import dev.sandglass.engine.network.DottedQuad;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.network.dns.Resolution;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Where something is that the host's owner named, and no sandbox: a proxy for models is on the same machine or beside it more often than not, so private addresses are as good as others. Those
 * that are no place for one stay closed, among them the metadata services of clouds.
 */
final class OwnersPlace {
    private static final String LOCAL = "localhost";

    private OwnersPlace() {}

    static Optional<Inet4Address> of(String host, World world) {
        return known(host, world).stream().filter(address -> !isNoPlace(address, world)).findFirst();
    }

    private static List<Inet4Address> known(String host, World world) {
        Optional<Inet4Address> written = DottedQuad.parse(host.equals(LOCAL) ? "127.0.0.1" : host);
        if (written.isPresent()) {
            return List.of(written.get());
        }
        if (world.dialer().namespace().isPresent()) { // which has names of its own
            return HostName.parse(host).map(world.upstream()::resolve).orElseGet(Resolution.NoSuchName::new) instanceof Resolution.Addresses found ? found.addresses() : List.of();
        }
        try {
            return Arrays.stream(InetAddress.getAllByName(host)).filter(Inet4Address.class::isInstance).map(Inet4Address.class::cast).toList(); // as the host itself, its file of hosts included
        } catch (UnknownHostException unknown) {
            return List.of();
        }
    }

    private static boolean isNoPlace(Inet4Address address, World world) {
        return address.isLinkLocalAddress()
                || address.isMulticastAddress()
                || address.isAnyLocalAddress()
                || world.reserved().reason(address).filter("metadata"::equals).isPresent();
    }
}
