package dev.sandglass.server;

import dev.sandglass.linux.NetworkNamespace;
import dev.sandglass.network.egress.SmallInternet;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Takes note of all that arrives in a small internet, which has every address there is then: connections with where they went, datagrams with what they say. Both are echoed. */
final class Arrivals implements AutoCloseable {
    private final SmallInternet internet;
    private final Path namespace;
    private final Set<Integer> ports = new HashSet<>();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final Queue<DatagramChannel> open = new ConcurrentLinkedQueue<>();

    Arrivals(SmallInternet internet, List<Integer> datagrams) throws IOException {
        this.internet = internet;
        this.namespace = internet.outside().namespace().orElseThrow();
        MountNamespace.output(new ProcessBuilder("nsenter", "--net=" + namespace, "sh", "-ec", "ip route add local 0.0.0.0/0 dev lo; ip -6 route add local ::/0 dev lo"));
        for (int port : datagrams) {
            DatagramChannel channel = NetworkNamespace.call(namespace, () -> DatagramChannel.open().bind(new InetSocketAddress("::", port)));
            open.add(channel);
            Thread.startVirtualThread(() -> take(channel));
        }
    }

    /** Takes connections at these ports from now on. */
    void at(List<Integer> connections) throws IOException {
        for (int port : connections) {
            if (ports.add(port)) {
                internet.serve("::", port, this::take);
            }
        }
    }

    private void take(SocketChannel connection) {
        try (connection) {
            InetSocketAddress here = (InetSocketAddress) connection.getLocalAddress();
            seen.add(here.getAddress().getHostAddress() + ":" + here.getPort());
            ByteBuffer said = ByteBuffer.allocate(4096);
            while (connection.read(said.clear()) >= 0) {
                connection.write(said.flip());
            }
        } catch (IOException ended) {
            // by the other side
        }
    }

    private void take(DatagramChannel channel) {
        ByteBuffer said = ByteBuffer.allocate(4096);
        while (channel.isOpen()) {
            try {
                var sender = channel.receive(said.clear());
                channel.send(said.flip(), sender);
                seen.add(StandardCharsets.US_ASCII.decode(said.rewind()).toString());
            } catch (IOException closed) {
                return;
            }
        }
    }

    /** From inside of that world, to know that it would be seen. */
    void say(String text, String address, int port) throws IOException {
        NetworkNamespace.call(namespace, () -> {
            try (DatagramChannel channel = DatagramChannel.open()) {
                return channel.send(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), new InetSocketAddress(address, port));
            }
        });
    }

    /** What arrived since it was forgotten last. */
    List<String> seen() {
        return List.copyOf(seen);
    }

    void forget() {
        seen.clear();
    }

    /** How many pings came, and packets of protocols that nobody knows. */
    List<String> strange() throws IOException {
        List<String> counts = Files.readAllLines(namespace.resolveSibling("..").resolve("net/snmp"));
        return List.of(count(counts, "Icmp:", "InEchos"), count(counts, "Ip:", "InUnknownProtos"));
    }

    /** In two lines, of names and of numbers. */
    private static String count(List<String> lines, String kind, String name) {
        List<List<String>> both = lines.stream().filter(line -> line.startsWith(kind)).map(line -> Arrays.asList(line.split(" "))).toList();
        return both.getLast().get(both.getFirst().indexOf(name));
    }

    @Override
    public void close() throws IOException {
        for (DatagramChannel each : open) {
            each.close();
        }
    }
}
