package dev.sandglass.engine.network;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The addresses that no policy opens: those that are not of the public internet, those of clouds' metadata services, and the host's own. Ranges that are for documentation
 * are not among them: closed networks have their package registries there. Of private ones the host's owner may open some, for policies to allow. Whoever dials asks
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

    /** What networks of organizations are made of. */
    private static final Set<String> OPENABLE = Set.of("private", "shared by a provider", "benchmarking");
    /** Which a sandbox has on its own link. */
    private static final Cidr LINK = Cidr.parse("10.0.0.0/30");

    private final Supplier<? extends Set<? extends InetAddress>> own;
    private final List<Cidr> opened;

    /**
     * @param own the addresses that the host has now; asked at each look, so the supplier should remember them for a while
     * @param opened what the host's owner opens for policies to allow, of what can be opened
     */
    public ReservedAddresses(Supplier<? extends Set<? extends InetAddress>> own, List<Cidr> opened) {
        this.own = own;
        this.opened = List.copyOf(opened);
    }

    /** Whether every address of a network is one that the host's owner can open. */
    public static boolean isOpenable(Cidr network) {
        return RANGES.stream().anyMatch(range -> OPENABLE.contains(range.reason) && range.network.contains(network));
    }

    /** The networks that can be opened, as text. */
    public static String openable() {
        return RANGES.stream().filter(range -> OPENABLE.contains(range.reason)).map(range -> range.network.toString()).collect(Collectors.joining(", "));
    }

    /** Whether an address is reachable only because the host's owner opened it: then a policy has to name it, and {@code *} does not. */
    public boolean isOpened(Inet4Address address) {
        return opened.stream().anyMatch(network -> network.contains(address)) && reason(address).isEmpty();
    }

    private static Range range(String network, String reason) {
        return new Range(Cidr.parse(network), reason);
    }

    /** Why no rule opens any address of a network, if it lies in one that is closed; empty if one may open some of it. */
    public Optional<String> reason(Cidr network) {
        Optional<String> reason = RANGES.stream().filter(range -> range.network.contains(network)).map(Range::reason).findFirst();
        boolean isOpen = opened.stream().anyMatch(each -> each.contains(network) || network.contains(each));
        return isOpen ? reason.filter(each -> !OPENABLE.contains(each)) : reason;
    }

    /** Why nothing may go to this address; empty if a policy may open it. */
    public Optional<String> reason(InetAddress address) {
        if (!(address instanceof Inet4Address ordinary)) {
            return Optional.of("not IPv4");
        }
        if (own.get().contains(ordinary)) {
            return Optional.of("the host's own");
        }
        Optional<String> reason = RANGES.stream().filter(range -> range.network.contains(ordinary)).map(Range::reason).findFirst();
        boolean isOpen = !LINK.contains(ordinary) && opened.stream().anyMatch(network -> network.contains(ordinary));
        return isOpen ? reason.filter(each -> !OPENABLE.contains(each)) : reason;
    }
}
