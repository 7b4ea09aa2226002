package dev.sandglass.network.egress;

import dev.sandglass.engine.network.ReservedAddresses;
import dev.sandglass.network.dns.HostResolvers;
import dev.sandglass.network.dns.Sockets;
import dev.sandglass.network.dns.Upstream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Where sandboxes are let out to.
 *
 * @param namespace the network namespace in which the daemon dials and asks for names for them; its own if there is none
 * @param resolvers whom it asks; those of the host if there are none
 */
public record Outside(Optional<Path> namespace, List<InetSocketAddress> resolvers) {
    /** The network of the host. */
    public static final Outside OF_THE_HOST = new Outside(Optional.empty(), List.of());

    private static final Duration DIAL = Duration.ofSeconds(15);
    private static final Duration SILENCE = Duration.ofMillis(300);

    public World world() {
        Sockets sockets = namespace.map(Sockets::in).orElse(Sockets.PLAIN);
        Upstream upstream = new Upstream(resolvers.isEmpty() ? new HostResolvers() : () -> resolvers, sockets);
        return new World(new Dialer(namespace, DIAL), upstream, new ReservedAddresses(new HostAddresses(namespace)), Capacity.ofThisProcess(), SILENCE);
    }
}
