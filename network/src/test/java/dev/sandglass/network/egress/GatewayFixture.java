package dev.sandglass.network.egress;

import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.NetworkNamespace;
import dev.sandglass.network.intercept.Authorities;
import dev.sandglass.network.intercept.Authority;
import dev.sandglass.network.pair.Gate;
import dev.sandglass.network.pair.Pair;
import dev.sandglass.network.pair.Pairs;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** A gateway between the network of a sandbox and a small internet. */
abstract class GatewayFixture {
    static final SandboxId ID = new SandboxId("sbx-aaaaaaaaaaaa");

    @TempDir(cleanup = CleanupMode.NEVER)
    Path directory;

    final Queue<Journey> journeys = new ConcurrentLinkedQueue<>();
    Pairs pairs;
    SmallInternet world;
    Gate gate;
    Authority authority;
    World outside;
    Gateway gateway;

    @BeforeEach
    void open() throws Exception {
        pairs = Pairs.open(directory.resolve("net"), 0);
        world = new SmallInternet();
        gate = pairs.take(ID);
        authority = Authorities.at(directory.resolve("key")).of("inside");
        outside = outside().world();
        gateway = new Gateway(ID, gate, authority, Policy.NONE, secrets(), outside, journeys::add).open();
    }

    /** Where it is let out to. */
    Outside outside() {
        return world.outside();
    }

    /** What is added to requests; nothing unless a test says so. */
    Secrets secrets() {
        return Secrets.NONE;
    }

    void change(Policy policy) {
        gateway.change(policy, secrets());
    }

    @AfterEach
    void close() throws Exception {
        gateway.close();
        outside.interception().close();
        pairs.close();
        pairs.remove(ID);
        world.close();
    }

    static Policy allowing(String... rules) {
        return new Policy(Arrays.stream(rules).map(Rule::parse).toList(), Verdict.DENY);
    }

    SocketChannel connect(String address, int port) throws IOException {
        return NetworkNamespace.call(gate.pair().inside(), () -> SocketChannel.open(new InetSocketAddress(address, port)));
    }

    String exchange(String address, int port, String text) throws IOException {
        try (SocketChannel connection = connect(address, port)) {
            return said(connection, text);
        }
    }

    /** What comes back until the end, when everything was said. */
    static String said(SocketChannel connection, String text) throws IOException {
        connection.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        connection.shutdownOutput();
        return rest(connection);
    }

    static String rest(SocketChannel connection) throws IOException {
        StringBuilder got = new StringBuilder();
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        while (connection.read(buffer) >= 0) {
            got.append(StandardCharsets.US_ASCII.decode(buffer.flip()));
            buffer.clear();
        }
        return got.toString();
    }

    /** What comes back up to the end of a line. */
    static String line(SocketChannel connection, String text) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        while (out.hasRemaining()) {
            connection.write(out);
        }
        return received(connection, text.length());
    }

    static String received(SocketChannel connection, int length) throws IOException {
        ByteBuffer in = ByteBuffer.allocate(length);
        while (in.hasRemaining()) {
            if (connection.read(in) < 0) {
                throw new IOException("ended");
            }
        }
        return new String(in.array(), StandardCharsets.US_ASCII);
    }

    List<String> resolve(String name) throws IOException {
        return ask(name).getSection(Section.ANSWER).stream().map(each -> ((ARecord) each).getAddress().getHostAddress()).toList();
    }

    Message ask(String name) throws IOException {
        return NetworkNamespace.call(gate.pair().inside(), () -> {
            try (DatagramSocket socket = new DatagramSocket()) {
                Message query = new Message(77);
                query.getHeader().setFlag(Flags.RD);
                query.addRecord(Record.newRecord(Name.fromString(name + "."), Type.A, DClass.IN), Section.QUESTION);
                byte[] bytes = query.toWire();
                socket.setSoTimeout(20_000);
                socket.send(new DatagramPacket(bytes, bytes.length, new InetSocketAddress(Pair.GATEWAY, 53)));
                DatagramPacket answer = new DatagramPacket(new byte[4096], 4096);
                socket.receive(answer);
                return new Message(Arrays.copyOf(answer.getData(), answer.getLength()));
            }
        });
    }

    /** Whether a connection on which nothing is said is still there after the moment in which clients that speak first do. */
    static boolean rested(SocketChannel channel) throws IOException {
        channel.socket().setSoTimeout(600);
        try {
            return channel.socket().getInputStream().read() >= 0;
        } catch (SocketTimeoutException nothing) {
            return true;
        }
    }
}
