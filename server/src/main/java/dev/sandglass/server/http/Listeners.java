package dev.sandglass.server.http;

import java.util.EnumSet;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.HostPort;

/** The connectors of the API and how strictly HTTP is read. */
public final class Listeners {
    /** Room for two paths of 4096 characters, percent-encoded. */
    static final int MAX_HEAD_BYTES = 64 * 1024;

    /** Files come in pieces of this size. */
    private static final int INPUT_BYTES = 1 << 16;

    /**
     * What may wait in the kernel for a client to take it: with its usual, smaller room the two wait for each other all the time when a
     * large file goes out. The kernel may allow less.
     */
    private static final int OUTPUT_BYTES = 1 << 19;

    private static final int BACKLOG = 256;

    private Listeners() {}

    static ServerConnector tcp(Server server, HttpSettings settings, ConnectionBudget budget) {
        ServerConnector connector = new ServerConnector(server, 1, 1, http());
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        connector.setAcceptQueueSize(BACKLOG);
        connector.setIdleTimeout(settings.idleTimeout().toMillis());
        connector.addBean(budget);
        return connector;
    }

    static UnixDomainServerConnector unix(Server server, HttpSettings settings, SocketFile socket, ConnectionBudget budget) {
        UnixDomainServerConnector connector = new UnixDomainServerConnector(server, 1, 1, http());
        connector.setUnixDomainPath(socket.bindPath());
        connector.setAcceptedSendBufferSize(OUTPUT_BYTES);
        connector.setAcceptQueueSize(BACKLOG);
        connector.setIdleTimeout(settings.idleTimeout().toMillis());
        connector.addBean(budget);
        return connector;
    }

    private static HttpConnectionFactory http() {
        HttpConfiguration configuration = strict(MAX_HEAD_BYTES);
        configuration.setServerAuthority(new HostPort("localhost"));
        configuration.setSendDateHeader(true);
        HttpConnectionFactory factory = new HttpConnectionFactory(configuration);
        factory.setInputBufferSize(INPUT_BYTES);
        return factory;
    }

    /** What two readers of HTTP could understand in two ways is refused. */
    public static HttpConfiguration strict(int headBytes) {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setHttpCompliance(HttpCompliance.STRICT);
        // Who serves looks at the raw path, so an escape that other servers trip over is only a character here.
        configuration.setUriCompliance(UriCompliance.from(EnumSet.of(
                UriCompliance.Violation.AMBIGUOUS_PATH_SEGMENT,
                UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
                UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING,
                UriCompliance.Violation.AMBIGUOUS_PATH_PARAMETER,
                UriCompliance.Violation.AMBIGUOUS_EMPTY_SEGMENT)));
        configuration.setRequestHeaderSize(headBytes);
        configuration.setSendServerVersion(false);
        return configuration;
    }
}
