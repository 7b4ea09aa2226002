package dev.sandglass.server.route;

import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.port.Ports;
import dev.sandglass.engine.route.Routes;
import dev.sandglass.server.http.Bearers;
import dev.sandglass.server.http.ConnectionBudget;
import dev.sandglass.server.http.LingerBounds;
import dev.sandglass.server.http.LingeringClose;
import dev.sandglass.server.http.Listeners;
import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server of the routes. Started and stopped once; what passes through it when it stops is cut off, as with every proxy that goes. */
public final class RouteDoor {
    public static final int MAX_HEAD_BYTES = 32 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(RouteDoor.class);
    /** Platform threads, for accepting and selecting only; requests run on virtual ones. */
    private static final int SELECTING_THREADS = 8;
    /** So many sandboxes must be busy before there is no room for another. */
    private static final int SHARES = 4;
    private static final int BACKLOG = 256;
    private static final int INPUT_BYTES = 1 << 15;
    /** A program's head comes through, with a little that is added. */
    private static final int MAX_ANSWER_HEAD_BYTES = 64 * 1024;

    private final RouteSettings settings;
    private final Server server;
    private final ServerConnector connector;
    private final Arrivals arrivals;
    private final KeptConnections kept = new KeptConnections();
    private final PortTraffic traffic;

    /** Nothing listens before {@link #start}. */
    public RouteDoor(RouteSettings settings, Sandboxes sandboxes, Ports ports, Routes routes, Bearers bearers, Traffic traffic) {
        this.settings = settings;
        this.arrivals = new Arrivals(settings.idleTimeout());
        ConnectionBudget budget = new ConnectionBudget(settings.maxConnections(), arrivals::oldest);
        LingeringClose lingering = new LingeringClose(LingerBounds.DEFAULT, budget);
        QueuedThreadPool threads = new QueuedThreadPool(SELECTING_THREADS, 2);
        threads.setName("route");
        threads.setVirtualThreadsExecutor(Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("route-call-", 0).factory()));
        this.server = new Server(threads);
        this.connector = new ServerConnector(server, 1, 1, http());
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        connector.setAcceptQueueSize(BACKLOG);
        connector.setIdleTimeout(settings.idleTimeout().toMillis());
        connector.addBean(arrivals);
        connector.addBean(budget);
        server.addConnector(connector);
        server.setErrorHandler(new BrokenRequests(lingering, traffic));
        server.setStopTimeout(0);
        Shares shares = new Shares(Math.max(1, settings.maxConnections() / SHARES));
        Forwarding forwarding = new Forwarding(new Wakeups(sandboxes.live(), settings.wakePatience(), traffic), ports, kept, budget, settings);
        server.setHandler(new Reception(
                settings, new Directory(sandboxes, routes), new Guard(bearers, routes), forwarding, budget, arrivals, shares, lingering, traffic));
        this.traffic = new PortTraffic(sandboxes.live(), forwarding, shares);
        traffic.watchRoutes(budget::open);
    }

    private static HttpConnectionFactory http() {
        HttpConfiguration configuration = Listeners.strict(MAX_HEAD_BYTES);
        configuration.setMaxResponseHeaderSize(MAX_ANSWER_HEAD_BYTES);
        configuration.setSendDateHeader(false); // that of the sandbox comes through
        HttpConnectionFactory factory = new HttpConnectionFactory(configuration);
        factory.setInputBufferSize(INPUT_BYTES);
        return factory;
    }

    /** The same way in, for who lets in by other rules. */
    public PortTraffic ports() {
        return traffic;
    }

    public void start() {
        try {
            server.start();
        } catch (Exception failure) {
            stop();
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST,
                    "route_listen: " + settings.host() + ":" + settings.port() + " cannot be listened on: " + failure.getMessage(),
                    "End what listens there, or set `route_listen` to another address.",
                    failure);
        }
        sweepLater();
        LOG.info("routes are at {}:{}, and below {}", settings.host(), port(), settings.domain());
    }

    private void sweepLater() {
        server.getScheduler().schedule(
                () -> Thread.ofVirtual().name("route-sweep").start(() -> {
                    kept.sweep();
                    arrivals.sweep();
                    if (server.isRunning()) {
                        sweepLater();
                    }
                }),
                KeptConnections.LONGEST.toMillis() / 2,
                TimeUnit.MILLISECONDS);
    }

    /** The TCP port that is listened on. */
    public int port() {
        return connector.getLocalPort();
    }

    public void stop() {
        try {
            server.stop();
        } catch (Exception failure) {
            LOG.warn("the server of the routes did not stop cleanly", failure);
        }
        kept.close();
    }
}
