package dev.sandglass.network.egress;

import dev.sandglass.linux.NetworkNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The addresses that this host has, looked up anew every few seconds: none of them may be reached by a sandbox. Thread-safe. */
final class HostAddresses implements Supplier<Set<InetAddress>> {
    private static final Duration FRESH = Duration.ofSeconds(5);

    private final Optional<Path> namespace;

    /** @param namespace in which connections are made, if not in that of the daemon: what it has is the host's too */
    HostAddresses(Optional<Path> namespace) {
        this.namespace = namespace;
    }

    private record Look(Set<InetAddress> found, long at) {}

    private volatile Look last = new Look(Set.of(), System.nanoTime() - FRESH.toNanos());

    @Override
    public Set<InetAddress> get() {
        Look known = last;
        if (System.nanoTime() - known.at() < FRESH.toNanos()) {
            return known.found();
        }
        try {
            Set<InetAddress> found = new HashSet<>(here());
            if (namespace.isPresent()) {
                found.addAll(NetworkNamespace.call(namespace.get(), HostAddresses::here));
            }
            last = new Look(Set.copyOf(found), System.nanoTime());
            return found;
        } catch (IOException unreadable) {
            throw new UncheckedIOException("nobody knows which addresses are the host's", unreadable); // so nothing is reached
        }
    }

    private static Set<InetAddress> here() throws IOException {
        return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).collect(Collectors.toSet());
    }
}
