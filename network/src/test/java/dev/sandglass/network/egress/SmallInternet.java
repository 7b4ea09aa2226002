package dev.sandglass.network.egress;

import dev.sandglass.linux.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;

/** A small internet in a namespace of its own, on addresses that are for documentation: servers, and a resolver that knows their names. */
public final class SmallInternet implements AutoCloseable {
    private static final String RESOLVER = "203.0.113.53";

    private final Process holder;
    private final Path namespace;
    private final DatagramChannel resolver;
    private final Map<String, List<String>> names = new ConcurrentHashMap<>();
    private final Queue<String> questions = new ConcurrentLinkedQueue<>();
    private final Queue<ServerSocketChannel> open = new ConcurrentLinkedQueue<>();

    public SmallInternet() throws IOException {
        this.holder = new ProcessBuilder("unshare", "--net", "sh", "-c", "ip link set lo up && ip addr add 203.0.113.1/24 dev lo && echo ready && read line").start();
        if (holder.getInputStream().read() != 'r') {
            throw new IOException("no namespace for the world");
        }
        this.namespace = Path.of("/proc", Long.toString(holder.pid()), "ns", "net");
        this.resolver = NetworkNamespace.call(namespace, () -> DatagramChannel.open().bind(new InetSocketAddress(RESOLVER, 53)));
        Thread.startVirtualThread(this::answer);
    }

    public Outside outside() {
        return new Outside(Optional.of(namespace), List.of(new InetSocketAddress(RESOLVER, 53)));
    }

    public void name(String name, String... addresses) {
        names.put(name, List.of(addresses));
    }

    /** What the resolver was asked for. */
    public List<String> questions() {
        return List.copyOf(questions);
    }

    /** Serves each connection to an address in a thread of its own. */
    public void serve(String address, int port, Consumer<SocketChannel> service) throws IOException {
        ServerSocketChannel listener = NetworkNamespace.call(namespace, () -> ServerSocketChannel.open().bind(new InetSocketAddress(address, port), 1024));
        open.add(listener);
        Thread.startVirtualThread(() -> {
            while (listener.isOpen()) {
                try {
                    SocketChannel connection = listener.accept();
                    Thread.startVirtualThread(() -> service.accept(connection));
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    /** Serves each connection with what it sends itself, after a greeting, until it ends its own side. */
    public void echo(String address, int port, String greeting) throws IOException {
        serve(address, port, connection -> {
            try (connection) {
                connection.write(ByteBuffer.wrap(greeting.getBytes(StandardCharsets.US_ASCII)));
                ByteBuffer buffer = ByteBuffer.allocate(64 << 10);
                while (connection.read(buffer) >= 0) {
                    buffer.flip();
                    while (buffer.hasRemaining()) {
                        connection.write(buffer);
                    }
                    buffer.clear();
                }
            } catch (IOException ended) {
                // by the other side
            }
        });
    }

    private void answer() {
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        while (resolver.isOpen()) {
            try {
                SocketAddress asker = resolver.receive(buffer.clear());
                byte[] bytes = new byte[buffer.flip().remaining()];
                buffer.get(bytes);
                resolver.send(ByteBuffer.wrap(answer(new Message(bytes)).toWire()), asker);
            } catch (IOException closed) {
                return;
            }
        }
    }

    private Message answer(Message query) throws IOException {
        String name = query.getQuestion().getName().toString(true);
        questions.add(name);
        Message answer = new Message(query.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.addRecord(query.getQuestion(), Section.QUESTION);
        List<String> addresses = names.get(name);
        if (addresses == null) {
            answer.getHeader().setRcode(Rcode.NXDOMAIN);
            return answer;
        }
        for (String each : addresses) {
            answer.addRecord(new ARecord(query.getQuestion().getName(), DClass.IN, 1, InetAddress.getByName(each)), Section.ANSWER);
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        resolver.close();
        for (ServerSocketChannel each : open) {
            each.close();
        }
        holder.destroyForcibly();
    }
}
