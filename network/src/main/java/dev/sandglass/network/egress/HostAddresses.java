package dev.sandglass.network.egress;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The addresses that this host has, looked up anew every few seconds: none of them may be reached by a sandbox. Thread-safe. */
final class HostAddresses implements Supplier<Set<InetAddress>> {
    private static final Duration FRESH = Duration.ofSeconds(5);

    private record Look(Set<InetAddress> found, long at) {}

    private volatile Look last = new Look(Set.of(), System.nanoTime() - FRESH.toNanos());

    @Override
    public Set<InetAddress> get() {
        Look known = last;
        if (System.nanoTime() - known.at() < FRESH.toNanos()) {
            return known.found();
        }
        try {
            Set<InetAddress> found = NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).collect(Collectors.toUnmodifiableSet());
            last = new Look(found, System.nanoTime());
            return found;
        } catch (SocketException unreadable) {
            return known.found();
        }
    }
}
