package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.network.Namespaces;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.NetworkNamespace;
import dev.sandglass.network.pair.Gate;
import dev.sandglass.network.pair.Pair;
import dev.sandglass.network.pair.Pairs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sandbox that joins a network has one link, to its gateway, and it has it again wherever its processes go on. */
abstract class NetworkContract extends RuntimeFixture {
    private static final InetSocketAddress SOMEWHERE = new InetSocketAddress("93.184.216.34", 443);

    private Pairs pairs;

    NetworkContract(Engine engine) throws IOException {
        super(engine);
    }

    @BeforeEach
    void makePairs() throws IOException {
        pairs = Pairs.open(run.path().resolve("net"), 0);
    }

    /** The namespaces go when their processes have gone; only their names are in the way. */
    @AfterEach
    void removePairs() throws IOException {
        pairs.close();
        for (SandboxId id : pairs.present()) {
            pairs.remove(id);
        }
        Files.delete(run.path().resolve("net"));
    }

    private Machine joined(Machine machine, Gate gate) {
        return Workshop.joined(machine, new Namespaces(gate.pair().user(), gate.pair().inside()));
    }

    @Test
    void whatItConnectsToArrivesAtItsGateway() throws Exception {
        Machine machine = workshop.machine();
        try (Gate gate = pairs.take(machine.id())) {
            Guest guest = workshop.start(joined(machine, gate));
            assertThat(guest.sh("sed -n 's/:.*//p' /proc/net/dev").split("\\s+")).containsExactlyInAnyOrder("eth0", "lo");
            assertThat(conversation(guest, gate)).startsWith("hello");
        }
    }

    @Test
    void itsRootMayListenOnEveryPort() throws Exception {
        Machine machine = workshop.machine();
        try (Gate gate = pairs.take(machine.id())) {
            Guest guest = workshop.start(joined(machine, gate));
            GuestReader server = guest.start("root", "python3", "-uc", """
                    import socket
                    s = socket.socket(); s.bind(('0.0.0.0', 80)); s.listen(); print('up', flush=True)
                    c = s.accept()[0]; c.sendall(b'served')
                    """);
            assertThat(Guest.firstOutput(server)).startsWith("up");
            try (SocketChannel caller = NetworkNamespace.call(gate.pair().gateway(), SocketChannel::open)) {
                caller.connect(new InetSocketAddress(Pair.INSIDE, 80));
                assertThat(all(caller)).isEqualTo("served");
            }
        }
    }

    @Test
    void aCopyWithMemoryHasTheSameLinkAndItsListenersLive() throws Exception {
        assumeTrue(runtime.obstacleToMemory().isEmpty(), () -> "no memory is captured here: " + runtime.obstacleToMemory().orElse(""));
        Machine machine = workshop.machine();
        try (Gate gate = pairs.take(machine.id())) {
            Guest guest = workshop.start(joined(machine, gate));
            GuestReader server = guest.start("root", "python3", "-uc", """
                    import socket
                    s = socket.socket(); s.bind(('0.0.0.0', 8080)); s.listen(); print('up', flush=True)
                    n = 0
                    while True:
                        c = s.accept()[0]; n += 1; c.sendall(b'%d' % n); c.close()
                    """);
            assertThat(Guest.firstOutput(server)).startsWith("up");
            assertThat(called(gate)).isEqualTo("1");
            Snapshot snapshot = workshop.snapshot(guest.machine());
            assertThat(called(gate)).isEqualTo("2");
            Machine copy = workshop.copyOf(machine, snapshot, machine.limits());
            try (Gate other = pairs.take(copy.id())) {
                Guest restored = workshop.goOn(joined(copy, other), snapshot);
                assertThat(called(other)).isEqualTo("2");
                assertThat(conversation(restored, other)).startsWith("hello");
                assertThat(called(gate)).isEqualTo("3");
            }
        }
    }

    /** What a program inside hears from whoever took its connection. */
    private static String conversation(Guest guest, Gate gate) throws Exception {
        GuestReader client = guest.start("root", "python3", "-uc", """
                import socket
                s = socket.create_connection(('93.184.216.34', 443)); print(s.recv(99).decode(), flush=True)
                """);
        try (SocketChannel arrived = gate.connections().accept()) {
            assertThat(arrived.getLocalAddress()).isEqualTo(SOMEWHERE);
            arrived.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.US_ASCII)));
            return Guest.firstOutput(client);
        }
    }

    private static String called(Gate gate) throws IOException {
        try (SocketChannel caller = NetworkNamespace.call(gate.pair().gateway(), SocketChannel::open)) {
            caller.connect(new InetSocketAddress(Pair.INSIDE, 8080));
            return all(caller);
        }
    }

    private static String all(SocketChannel channel) throws IOException {
        ByteBuffer got = ByteBuffer.allocate(100);
        while (channel.read(got) >= 0) {}
        return new String(got.array(), 0, got.position(), StandardCharsets.US_ASCII);
    }
}
