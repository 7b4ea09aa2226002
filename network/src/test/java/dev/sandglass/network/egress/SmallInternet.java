package dev.sandglass.network.egress;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sandglass.linux.NetworkNamespace;
import dev.sandglass.network.intercept.Authorities;
import dev.sandglass.network.intercept.Authority;
import dev.sandglass.network.intercept.WorldAuthority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;

/** A small internet in a namespace of its own, on addresses that are for documentation, and a private network (10.20.0.0/16) beside it: servers, and a resolver that knows their names. */
public final class SmallInternet implements AutoCloseable {
    private static final String RESOLVER = "203.0.113.53";

    private final Process holder;
    private final Path namespace;
    private final DatagramChannel resolver;
    private final Map<String, List<String>> names = new ConcurrentHashMap<>();
    private final Queue<String> questions = new ConcurrentLinkedQueue<>();
    private final Queue<HttpServer> servers = new ConcurrentLinkedQueue<>();
    private final Queue<WebSocketEcho> echoes = new ConcurrentLinkedQueue<>();
    private final Authority authority;
    private final Path trusted;
    private final Queue<ServerSocketChannel> open = new ConcurrentLinkedQueue<>();
    private final Queue<PlayedModels> closing = new ConcurrentLinkedQueue<>();

    public SmallInternet() throws IOException {
        Path files = Files.createTempDirectory("small-internet");
        this.authority = Authorities.at(files.resolve("key")).of("world");
        this.trusted = Files.writeString(files.resolve("trusted.pem"), authority.certificate());
        this.holder = new ProcessBuilder("unshare", "--net", "sh", "-c", "ip link set lo up && ip addr add 203.0.113.1/24 dev lo && ip addr add 10.20.0.1/16 dev lo && echo ready && read line").start();
        if (holder.getInputStream().read() != 'r') {
            throw new IOException("no namespace for the world");
        }
        this.namespace = Path.of("/proc", Long.toString(holder.pid()), "ns", "net");
        this.resolver = NetworkNamespace.call(namespace, () -> DatagramChannel.open().bind(new InetSocketAddress(RESOLVER, 53)));
        Thread.startVirtualThread(this::answer);
    }

    public Outside outside() {
        return new Outside(Optional.of(namespace), List.of(new InetSocketAddress(RESOLVER, 53)), Optional.of(trusted), List.of());
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

    /** A server that tells what it was asked, with the body and the authorization that came along. */
    public void http(String address, int port) throws IOException {
        http(address, port, SmallInternet::tell);
    }

    /** A server with another service behind it. */
    public void http(String address, int port, HttpHandler service) throws IOException {
        begin(NetworkNamespace.call(namespace, () -> HttpServer.create(new InetSocketAddress(address, port), 1024)), service);
    }

    /** The same with a certificate for a name, of an authority that is trusted outside. */
    public void https(String address, int port, String name) throws IOException {
        https(address, port, name, SmallInternet::tell);
    }

    /** The same with another service behind it. */
    public void https(String address, int port, String name, HttpHandler service) throws IOException {
        HttpsServer server = NetworkNamespace.call(namespace, () -> HttpsServer.create(new InetSocketAddress(address, port), 1024));
        server.setHttpsConfigurator(new HttpsConfigurator(WorldAuthority.context(authority, name)));
        begin(server, service);
    }

    /** Echoes messages that come by WebSocket to {@code /ws}, and tells who opened the conversation first; with a certificate for a name, or without TLS. */
    public void webSocket(String address, int port, Optional<String> name) throws IOException {
        ServerSocketChannel listener = NetworkNamespace.call(namespace, () -> ServerSocketChannel.open().bind(new InetSocketAddress(address, port), 1024));
        echoes.add(new WebSocketEcho(listener, name.isPresent() ? Optional.of(WorldAuthority.context(authority, name.get())) : Optional.empty()));
    }

    /** A server that plays services of models, with a certificate for a name if there is one. */
    public PlayedModels models(String address, int port, Optional<String> name) throws IOException {
        ServerSocketChannel listener = NetworkNamespace.call(namespace, () -> ServerSocketChannel.open().bind(new InetSocketAddress(address, port), 1024));
        PlayedModels models = new PlayedModels(listener, name.isPresent() ? Optional.of(WorldAuthority.context(authority, name.get())) : Optional.empty());
        closing.add(models);
        return models;
    }

    /** Another server with a certificate that it has been given. */
    public void https(String address, int port, SSLContext certificate) throws IOException {
        HttpsServer server = NetworkNamespace.call(namespace, () -> HttpsServer.create(new InetSocketAddress(address, port), 1024));
        server.setHttpsConfigurator(new HttpsConfigurator(certificate));
        begin(server, SmallInternet::tell);
    }

    /** Whom those trust who are outside. */
    public Authority authority() {
        return authority;
    }

    private void begin(HttpServer server, HttpHandler service) {
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", service);
        server.start();
        servers.add(server);
    }

    private static void tell(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String authorization = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        String told = exchange.getRequestMethod() + " " + exchange.getRequestURI() + " of " + exchange.getRequestHeaders().getFirst("Host") + " body=" + body + " authorization=" + authorization + "\n";
        byte[] bytes = told.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
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
        servers.forEach(each -> each.stop(0));
        for (WebSocketEcho each : echoes) {
            each.close();
        }
        closing.forEach(PlayedModels::close);
        holder.destroyForcibly();
    }
}
