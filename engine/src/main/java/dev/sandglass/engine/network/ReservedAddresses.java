package dev.sandglass.engine.network;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The addresses that no policy opens: those that are not of the public internet, those of clouds' metadata services, and the host's own. Ranges that are for documentation
 * are not among them: closed networks have their package registries there. Whoever dials asks
 * for the very address that it dials, each time. Thread-safe if the supplier is.
 */
public final class ReservedAddresses {
    /** The first that has an address tells the reason. */
    private static final List<Range> RANGES = List.of(
            // Azure's is in a public range, Alibaba's among the shared ones, Oracle's among the protocols'.
            range("169.254.169.254", "metadata"),
            range("168.63.129.16", "metadata"),
            range("100.100.100.200", "metadata"),
            range("192.0.0.192", "metadata"),
            range("0.0.0.0/8", "this network"),
            range("10.0.0.0/8", "private"),
            range("100.64.0.0/10", "shared by a provider"),
            range("127.0.0.0/8", "loopback"),
            range("169.254.0.0/16", "link-local"),
            range("172.16.0.0/12", "private"),
            range("192.0.0.0/24", "protocol assignments"),
            range("192.88.99.0/24", "relay to IPv6"),
            range("192.168.0.0/16", "private"),
            range("198.18.0.0/15", "benchmarking"),
            range("224.0.0.0/4", "multicast"),
            range("255.255.255.255", "broadcast"),
            range("240.0.0.0/4", "future use"));

    private record Range(Cidr network, String reason) {}

    private final Supplier<? extends Set<? extends InetAddress>> own;

    /** @param own the addresses that the host has now; asked at each look, so the supplier should remember them for a while */
    public ReservedAddresses(Supplier<? extends Set<? extends InetAddress>> own) {
        this.own = own;
    }

    private static Range range(String network, String reason) {
        return new Range(Cidr.parse(network), reason);
    }

    /** Why nothing may go to this address; empty if a policy may open it. */
    public Optional<String> reason(InetAddress address) {
        if (!(address instanceof Inet4Address ordinary)) {
            return Optional.of("not IPv4");
        }
        if (own.get().contains(ordinary)) {
            return Optional.of("the host's own");
        }
        return RANGES.stream().filter(range -> range.network.contains(ordinary)).map(Range::reason).findFirst();
    }
}
