package dev.sandglass.network.intercept;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.transport.HttpClientConnectionFactory;
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.ClientConnectionFactoryOverHTTP2;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** What looks into connections, for all sandboxes. Thread-safe; its owner closes it. */
public final class Interception implements AutoCloseable {
    /** What the host's owner trusts, which is not what the JDK does. */
    public static final Path OF_THE_HOST = Path.of("/etc/ssl/certs/ca-certificates.crt");

    private static final int THREADS = 64;
    /** Of a request or an answer; the first of a connection is read before it gets here, and {@code FirstWords} takes as much. */
    static final int HEAD = 32 << 10;

    private static final int PER_DESTINATION = 64;
    /** Requests at once on one connection of HTTP/2. */
    private static final int STREAMS = 128;
    /** What connections, heads and what waits of bodies may take, of all sandboxes and of one, as {@link Weight} reckons it. */
    private static final int ALL = 384 << 20;

    private static final int OF_ONE = 128 << 20;
    private static final Duration CONNECT = Duration.ofSeconds(15);
    /** As long as a model may think before it says the first word. */
    private static final Duration IDLE = Duration.ofMinutes(10);

    private final Way.Door door;
    private final Path trusted;
    private @Nullable Server server;
    private @Nullable Reception reception;

    /**
     * Nothing is begun before the first connection comes.
     *
     * @param door where it opens connections to servers
     * @param trusted a file with the certificates that servers are held to
     */
    public Interception(Way.Door door, Path trusted) {
        this.door = door;
        this.trusted = trusted;
    }

    private synchronized Reception reception() throws IOException {
        if (reception == null) {
            QueuedThreadPool threads = new QueuedThreadPool(THREADS);
            threads.setName("intercept");
            threads.setDaemon(true);
            threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("intercept-"));
            Server fresh = new Server(threads);
            fresh.setStopTimeout(0);
            HttpConfiguration http = http();
            ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory("h2", "http/1.1");
            alpn.setDefaultProtocol("http/1.1");
            Room room = new Room(ALL, OF_ONE);
            Reception hall = new Reception(fresh, room, new HttpConnectionFactory(http), http2(http), alpn);
            hall.setIdleTimeout(IDLE.toMillis());
            fresh.addConnector(hall);
            fresh.setErrorHandler(new BrokenRequests());
            Bodies bodies = new Bodies();
            fresh.setHandler(new Weighing(room, new Hearing(bodies, new Forwarding(client(Certificates.read(trusted)), door, room, bodies))));
            try {
                fresh.start();
            } catch (Exception problem) {
                throw new IOException("Requests of sandboxes cannot be looked into: " + problem.getMessage(), problem);
            }
            server = fresh;
            reception = hall;
        }
        return reception;
    }

    /** Without WebSocket, which begins with another kind of request there: clients that are told so begin it over HTTP/1.1. */
    private static SecondVersion http2(HttpConfiguration http) {
        SecondVersion second = new SecondVersion(new HttpConfiguration(http));
        second.setConnectProtocolEnabled(false);
        second.setMaxConcurrentStreams(STREAMS);
        second.setInitialStreamRecvWindow(Backlog.STREAM_WINDOW);
        second.setInitialSessionRecvWindow(Backlog.CONNECTION_WINDOW);
        second.setInputBufferSize(Weight.INPUT);
        second.setFlowControlStrategyFactory(Backlog::new);
        return second;
    }

    /** Paths are judged as they are written, by one parser. */
    private static HttpConfiguration http() {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);
        http.setUriCompliance(UriCompliance.UNSAFE);
        http.setRequestHeaderSize(HEAD);
        http.setResponseHeaderSize(HEAD);
        return http;
    }

    private static HttpClient client(KeyStore trusted) {
        SslContextFactory.Client tls = new SslContextFactory.Client();
        tls.setTrustStore(trusted);
        tls.setEndpointIdentificationAlgorithm("HTTPS");
        ClientConnector connector = new ClientConnector();
        connector.setSslContextFactory(tls);
        connector.setConnectTimeout(CONNECT);
        connector.setSelectors(1);
        HttpClient client = new HttpClient(new HttpClientTransportDynamic(
                connector, HttpClientConnectionFactory.HTTP11, new ClientConnectionFactoryOverHTTP2.HTTP2(http2(connector))));
        client.setFollowRedirects(false);
        client.setHttpCookieStore(new HttpCookieStore.Empty());
        client.setUserAgentField(null);
        client.setDefaultRequestContentType(null);
        client.setMaxConnectionsPerDestination(PER_DESTINATION);
        client.setRequestBufferSize(HEAD);
        client.setMaxResponseHeadersSize(HEAD);
        client.setResponseBufferSize(Weight.INPUT);
        client.setIdleTimeout(IDLE.toMillis());
        client.setDestinationIdleTimeout(CONNECT.toMillis());
        return client;
    }

    private static HTTP2Client http2(ClientConnector connector) {
        HTTP2Client second = new HTTP2Client(connector);
        second.setInitialStreamRecvWindow(Backlog.STREAM_WINDOW);
        second.setInitialSessionRecvWindow(Backlog.CONNECTION_WINDOW);
        second.setFlowControlStrategyFactory(Backlog::new);
        return second;
    }

    /**
     * Takes a connection over, for good, or says false if there is no room for it; the conversation is told when it is over.
     *
     * @param said what the sandbox has said already
     */
    public boolean take(SocketChannel inside, ByteBuffer said, Conversation conversation) throws IOException {
        return reception().take(inside, said, Optional.empty(), conversation);
    }

    /** The same of one that speaks TLS, towards which this is the server. */
    public boolean take(SocketChannel inside, ByteBuffer said, Conversation conversation, Authority authority, boolean isAddress) throws IOException {
        return reception().take(inside, said, Optional.of(authority.context(conversation.host(), isAddress)), conversation);
    }

    @Override
    public synchronized void close() {
        try {
            if (server != null) {
                server.stop();
            }
        } catch (Exception problem) {
            throw new IllegalStateException("The interception does not stop", problem);
        }
    }
}
