package dev.sandglass.network.sniff;

import dev.sandglass.engine.network.HostName;
import java.net.InetAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;

/** The host, and perhaps the port, that a request is for: a name in its canonical form, or an address in one of the two forms in which everybody reads the same. */
public sealed interface Authority {
    /** {@code example.com:8080}. */
    record Named(HostName name, OptionalInt port) implements Authority {}

    /** {@code 192.0.2.1} or {@code [2001:db8::1]:443}. */
    record Numbered(InetAddress address, OptionalInt port) implements Authority {}

    OptionalInt port();

    /** Empty for anything else: 127.1, 0x7f000001, 010.0.0.1, an address of IPv4 inside of one of IPv6, one with a zone, a user before it. */
    static Optional<Authority> parse(String written) {
        Matcher parts = Written.PARTS.matcher(written);
        if (!parts.matches()) {
            return Optional.empty();
        }
        String host = parts.group(1);
        String digits = parts.group(2);
        int number = digits == null ? 0 : Integer.parseInt(digits);
        if (digits != null && (number == 0 || number > 65535)) {
            return Optional.empty();
        }
        OptionalInt port = digits == null ? OptionalInt.empty() : OptionalInt.of(number);
        return Written.address(host)
                .<Authority>map(address -> new Numbered(address, port))
                .or(() -> HostName.parse(host).map(name -> new Named(name, port)));
    }

    /** Whether both are the same host and port, where no port is the usual one. */
    default boolean isSame(Authority other, int usualPort) {
        boolean isSameHost =
                switch (this) {
                    case Named(HostName name, _) -> other instanceof Named(HostName its, _) && name.equals(its);
                    case Numbered(InetAddress address, _) -> other instanceof Numbered(InetAddress its, _) && address.equals(its);
                };
        return isSameHost && port().orElse(usualPort) == other.port().orElse(usualPort);
    }
}
