package dev.sandglass.network.dns;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The resolvers that the host itself asks, as its {@code resolv.conf} names them at that moment: a host moves between networks while the daemon runs. {@code search}
 * is ignored, for a name is asked for as it stands in a policy.
 */
public record HostResolvers(Path configuration) implements Supplier<List<InetSocketAddress>> {
    private static final int PORT = 53;
    /** As many as the C library uses. */
    private static final int MOST = 3;

    /** Those of this host. */
    public HostResolvers() {
        this(Path.of("/etc/resolv.conf"));
    }

    /** None if the file cannot be read. */
    @Override
    public List<InetSocketAddress> get() {
        try (Stream<String> lines = Files.lines(configuration, StandardCharsets.ISO_8859_1)) {
            return lines.flatMap(line -> server(line).stream()).limit(MOST).toList();
        } catch (IOException | UncheckedIOException unreadable) {
            return List.of();
        }
    }

    private static Optional<InetSocketAddress> server(String line) {
        String[] words = line.strip().split("\\s+");
        if (words.length < 2 || !words[0].equals("nameserver")) {
            return Optional.empty();
        }
        try {
            return Optional.of(new InetSocketAddress(InetAddress.ofLiteral(words[1]), PORT));
        } catch (IllegalArgumentException noAddress) {
            return Optional.empty();
        }
    }
}
