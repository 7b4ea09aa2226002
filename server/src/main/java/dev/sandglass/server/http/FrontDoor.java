package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.server.metric.Traffic;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server of the daemon, over TCP and a unix socket. Started and stopped once. */
public final class FrontDoor {
    private static final Logger LOG = LoggerFactory.getLogger(FrontDoor.class);
    /** Platform threads, for accepting and selecting only; requests run on virtual ones. */
    private static final int SELECTING_THREADS = 12;

    private final HttpSettings settings;
    private final Server server;
    private final ServerConnector tcp;
    private final InFlight inFlight = new InFlight();
    private final ConnectionBudget budget;
    private final LingeringClose lingering;
    private final SocketFile socket;

    /**
     * Claims the socket's path; nothing listens before {@link #start}.
     *
     * @param planes what else is served here; the first that takes a call has it
     */
    public FrontDoor(HttpSettings settings, Router router, Bearers bearers, Traffic traffic, Plane... planes) throws IOException {
        this.settings = settings;
        this.budget = new ConnectionBudget(settings.maxConnections());
        this.lingering = new LingeringClose(settings.linger(), budget);
        this.socket = SocketFile.claim(settings.socket());
        QueuedThreadPool threads = new QueuedThreadPool(SELECTING_THREADS, 4);
        threads.setName("http");
        threads.setVirtualThreadsExecutor(Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-call-", 0).factory()));
        this.server = new Server(threads);
        this.tcp = Listeners.tcp(server, settings, budget);
        server.addConnector(tcp);
        server.addConnector(Listeners.unix(server, settings, socket, budget));
        server.setErrorHandler(new Problems(lingering));
        server.setStopTimeout(0);
        Gatekeeper gatekeeper = new Gatekeeper(new HostNames(settings.hostNames()), bearers);
        server.setHandler(new Dispatcher(router, new Planes(List.of(planes), traffic), gatekeeper, budget, inFlight, new SocketUpgrade(server, inFlight, settings.streamPatience()), lingering, traffic, new RateLimit(settings.requestsPerSecond(), System::nanoTime), settings));
    }

    public void start() throws IOException {
        try {
            server.start();
            socket.publish();
        } catch (Exception failure) {
            stopServer();
            socket.remove(false);
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST,
                    "listen: " + settings.host() + ":" + settings.port() + " and " + settings.socket() + " cannot be listened on: "
                            + failure.getMessage(),
                    "End what listens there, or set `listen` to another address.",
                    failure);
        }
        LOG.info("listening on {}:{} and {}", settings.host(), port(), settings.socket());
    }

    /** The TCP port that is listened on. */
    public int port() {
        return tcp.getLocalPort();
    }

    int openConnections() {
        return budget.open();
    }

    int lingeringConnections() {
        return lingering.lingering();
    }

    /** Cuts off what was begun with a key that is none any more. */
    public void expel(String key) {
        inFlight.expel(key);
    }

    /** Refuses new requests, breaks streams off, and lets the other calls end within the time. */
    public void stop(Duration patience) throws InterruptedException {
        inFlight.stop();
        if (!inFlight.awaitNone(patience)) {
            LOG.warn("calls still ran after {}; their connections are closed", patience);
        }
        stopServer();
        try {
            socket.remove(true);
        } catch (IOException left) {
            LOG.warn("the socket's file stays", left);
        }
    }

    private void stopServer() {
        try {
            server.stop();
        } catch (Exception failure) {
            LOG.warn("the HTTP server did not stop cleanly", failure);
        }
    }
}
