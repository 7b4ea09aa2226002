package dev.sandglass.network.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.MountTable;
import dev.sandglass.linux.NetworkNamespace;
import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Real namespaces, and sockets in them as a sandbox would open them. */
class PairsTest {
    private static final SandboxId ID = new SandboxId("sbx-aaaaaaaaaaaa");

    @TempDir(cleanup = CleanupMode.NEVER)
    Path directory;

    private Pairs pairs;

    @BeforeEach
    void open() throws IOException {
        pairs = Pairs.open(directory.resolve("net"), 2);
    }

    @AfterEach
    void removeAll() throws IOException {
        pairs.close();
        try (Stream<Path> all = Files.list(directory.resolve("net"))) {
            for (Path each : all.toList()) {
                new Pair(each).remove();
            }
        }
        assertThat(MountTable.under(directory.toRealPath())).isEmpty();
    }

    @Test
    void everyConnectionArrivesWithTheAddressThatItWasMeantFor() throws IOException {
        try (Gate gate = pairs.take(ID)) {
            for (InetSocketAddress target : List.of(
                    new InetSocketAddress("93.184.216.34", 443), new InetSocketAddress("192.168.1.1", 9418), new InetSocketAddress("10.0.0.1", 22))) {
                try (SocketChannel client = connect(gate, target);
                        SocketChannel arrived = gate.connections().accept()) {
                    assertThat(arrived.getLocalAddress()).isEqualTo(target);
                    assertThat(((InetSocketAddress) arrived.getRemoteAddress()).getHostString()).isEqualTo(Pair.INSIDE);
                    arrived.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.US_ASCII)));
                    arrived.shutdownOutput();
                    ByteBuffer got = ByteBuffer.allocate(16);
                    while (client.read(got) >= 0) {}
                    assertThat(new String(got.array(), 0, got.position(), StandardCharsets.US_ASCII)).isEqualTo("hello");
                }
            }
        }
    }

    @Test
    void withoutSocketsOfADaemonAConnectionIsRefused() throws IOException {
        Gate gate = pairs.take(ID);
        gate.close();
        assertThatThrownBy(() -> connect(gate, new InetSocketAddress("93.184.216.34", 443))).isInstanceOf(ConnectException.class);
    }

    @Test
    void onlyTheResolverIsReachedByDatagrams() throws IOException {
        try (Gate gate = pairs.take(ID)) {
            NetworkNamespace.call(gate.pair().inside(), () -> {
                try (DatagramSocket socket = new DatagramSocket()) {
                    socket.setSoTimeout(20_000);
                    socket.connect(new InetSocketAddress("93.184.216.34", 443));
                    socket.send(new DatagramPacket(new byte[10], 10));
                    assertThatThrownBy(() -> socket.receive(new DatagramPacket(new byte[10], 10))).isInstanceOf(PortUnreachableException.class);
                }
                try (DatagramSocket socket = new DatagramSocket()) {
                    socket.connect(new InetSocketAddress(Pair.GATEWAY, 53));
                    socket.send(new DatagramPacket(new byte[] {1, 2, 3}, 3));
                }
                return true;
            });
            ByteBuffer question = ByteBuffer.allocate(16);
            gate.questions().receive(question);
            assertThat(question.position()).isEqualTo(3);
        }
    }

    @Test
    void thereIsNoVersion6Inside() throws IOException {
        try (Gate gate = pairs.take(ID)) {
            assertThatThrownBy(() -> NetworkNamespace.call(gate.pair().inside(), () -> {
                        try (DatagramChannel socket = DatagramChannel.open(StandardProtocolFamily.INET6)) {
                            return socket.connect(new InetSocketAddress(InetAddress.getByName("2001:db8::1"), 53));
                        }
                    }))
                    .isInstanceOf(SocketException.class);
        }
    }

    @Test
    void whatASandboxServesIsReachedFromItsGateway() throws IOException {
        try (Gate gate = pairs.take(ID);
                ServerSocketChannel service = NetworkNamespace.call(
                        gate.pair().inside(), () -> ServerSocketChannel.open().bind(new InetSocketAddress(Pair.INSIDE, 8080)));
                SocketChannel caller = NetworkNamespace.call(gate.pair().gateway(), SocketChannel::open)) {
            assertThat(caller.connect(new InetSocketAddress(Pair.INSIDE, 8080))).isTrue();
            try (SocketChannel called = service.accept()) {
                assertThat(((InetSocketAddress) called.getRemoteAddress()).getHostString()).isEqualTo(Pair.GATEWAY);
            }
        }
    }

    @Test
    void aPairOutlivesItsDaemonAndServesTheNextOne() throws IOException {
        pairs.take(ID).close();
        pairs.close();
        pairs = Pairs.open(directory.resolve("net"), 2);
        assertThat(pairs.present()).containsExactly(ID);
        try (Gate gate = pairs.reopen(ID).orElseThrow();
                SocketChannel _ = connect(gate, new InetSocketAddress("93.184.216.34", 80));
                SocketChannel arrived = gate.connections().accept()) {
            assertThat(arrived.getLocalAddress()).isEqualTo(new InetSocketAddress("93.184.216.34", 80));
        }
        pairs.remove(ID);
        assertThat(pairs.present()).isEmpty();
        assertThat(pairs.reopen(ID)).isEmpty();
    }

    @Test
    void someAreMadeAheadAndOneThatWasLeftHalfwayIsRemoved() throws IOException {
        pairs.prepare();
        await().until(() -> made() == 2);
        pairs.close();
        Path half = Files.createDirectory(directory.resolve("net").resolve("making-half"));
        Files.createFile(half.resolve("user"));
        pairs = Pairs.open(directory.resolve("net"), 2);
        assertThat(half).doesNotExist();
        pairs.prepare();
        await().until(() -> made() == 2);
    }

    private long made() throws IOException {
        try (Stream<Path> entries = Files.list(directory.resolve("net"))) {
            return entries.filter(each -> Files.exists(each.resolve("gateway"))).count();
        }
    }

    @Test
    void nothingOfTheHostsOwnNetworkIsTouched() throws IOException {
        String before = hostNetwork();
        pairs.take(ID).close();
        assertThat(hostNetwork()).isEqualTo(before);
    }

    private static String hostNetwork() throws IOException {
        StringBuilder text = new StringBuilder();
        for (String file : List.of( "/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv4/conf/all/forwarding")) {
            text.append(Files.readString(Path.of(file)));
        }
        try (Stream<Path> devices = Files.list(Path.of("/sys/class/net"))) {
            devices.sorted().forEach(each -> text.append(each).append('\n'));
        }
        return text.toString();
    }

    private static SocketChannel connect(Gate gate, InetSocketAddress target) throws IOException {
        return NetworkNamespace.call(gate.pair().inside(), () -> SocketChannel.open(target));
    }
}
