package dev.sandglass.network.sniff;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/** How an {@link Authority} is written. */
final class Written {
    /** The host, and the digits of the port. */
    static final Pattern PARTS = Pattern.compile("([A-Za-z0-9_.-]{1,254}|\\[[0-9A-Fa-f:]{2,45}])(?::([0-9]{1,5}))?");

    private static final Pattern FOUR = Pattern.compile("(?:(?:0|[1-9][0-9]{0,2})\\.){3}(?:0|[1-9][0-9]{0,2})");

    private Written() {}

    static Optional<InetAddress> address(String host) {
        boolean isSix = host.startsWith("[");
        if (!isSix && !FOUR.matcher(host).matches()) {
            return Optional.empty();
        }
        try {
            InetAddress address = InetAddress.ofLiteral(isSix ? host.substring(1, host.length() - 1) : host);
            // One of IPv4 in the form of IPv6 comes out as one of IPv4.
            return Optional.of(address).filter(isSix ? Inet6Address.class::isInstance : Inet4Address.class::isInstance);
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }
}
