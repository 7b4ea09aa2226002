package dev.sandglass.network.dns;

import java.net.Inet4Address;
import java.time.Duration;
import java.util.List;

/** What the resolvers of the host say about the addresses of a name. */
public sealed interface Resolution {
    /**
     * It has these.
     *
     * @param addresses at least one
     * @param ttl for how long they may be remembered
     */
    record Addresses(List<Inet4Address> addresses, Duration ttl) implements Resolution {
        public Addresses {
            addresses = List.copyOf(addresses);
        }
    }

    /** There is no such name. */
    record NoSuchName() implements Resolution {}

    /** There is such a name, and it has no address of IPv4. */
    record NoAddresses() implements Resolution {}

    /** Nobody could say. */
    record Failed(String reason) implements Resolution {}
}
