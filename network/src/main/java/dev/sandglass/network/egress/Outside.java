package dev.sandglass.network.egress;

import dev.sandglass.engine.network.Cidr;
import dev.sandglass.engine.network.ReservedAddresses;
import dev.sandglass.network.dns.HostResolvers;
import dev.sandglass.network.dns.Sockets;
import dev.sandglass.network.dns.Upstream;
import dev.sandglass.network.intercept.Interception;
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
 * @param trusted a file with the certificates that servers are held to where it looks into what they are asked; the host's if there is none
 * @param opened private networks that policies may open
 */
public record Outside(Optional<Path> namespace, List<InetSocketAddress> resolvers, Optional<Path> trusted, List<Cidr> opened) {
    /** The network of the host. */
    public static final Outside OF_THE_HOST = new Outside(Optional.empty(), List.of(), Optional.empty(), List.of());

    private static final Duration DIAL = Duration.ofSeconds(15);
    private static final Duration SILENCE = Duration.ofMillis(300);

    /** What of it is closed to every sandbox. */
    public ReservedAddresses reserved() {
        return new ReservedAddresses(new HostAddresses(namespace), opened);
    }

    /** Begins what lets them out; its owner closes what looks into requests. */
    public World world() {
        Sockets sockets = namespace.map(Sockets::in).orElse(Sockets.PLAIN);
        Upstream upstream = new Upstream(resolvers.isEmpty() ? new HostResolvers() : () -> resolvers, sockets);
        Dialer dialer = new Dialer(namespace, DIAL);
        Interception interception = new Interception(dialer::open, trusted.orElse(Interception.OF_THE_HOST));
        return new World(dialer, upstream, reserved(), Capacity.ofThisProcess(), interception, SILENCE);
    }
}
