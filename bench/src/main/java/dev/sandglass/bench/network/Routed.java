package dev.sandglass.bench.network;

import dev.sandglass.bench.Rounds;
import dev.sandglass.bench.report.Results.Part;
import dev.sandglass.bench.report.Results.Who;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.linux.NetworkNamespace;
import dev.sandglass.network.pair.Pair;
import dev.sandglass.wire.CreateRoute;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.Route;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** A sandbox with a server, and the ways to it: a route, and the other end of its network's link, from which nothing of Sandglass is between. */
public final class Routed implements AutoCloseable {
    private static final int PORT = 8000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(2);

    /** As little of a server as can be, with an answer in one piece: what is measured is the way. */
    private static final String SERVER =
            """
            import socket, sys, threading
            answer = b'HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n' % int(sys.argv[2]) + b'x' * int(sys.argv[2])
            def serve(connection):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                kept = b''
                got = connection.recv(65536)
                while got:
                    kept += got
                    while b'\\r\\n\\r\\n' in kept:
                        kept = kept.split(b'\\r\\n\\r\\n', 1)[1]
                        connection.sendall(answer)
                    got = connection.recv(65536)
                connection.close()
            server = socket.create_server(('0.0.0.0', int(sys.argv[1])), backlog=128)
            while True:
                threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
            """;

    private final Client client;
    private final String runtime;
    private final boolean diskOnly;
    private final String id;
    private final Path gateway;
    private final InetSocketAddress door;
    private final URI url;

    /**
     * Starts it, and waits for the first answer.
     *
     * @param diskOnly whether a pause of that runtime keeps the disk only
     * @param door where the daemon takes requests of routes
     * @param runDir of the daemon, in whose mount namespace the process is
     */
    public Routed(Client client, String runtime, boolean diskOnly, Map<String, String> labels, InetSocketAddress door, Path runDir) throws IOException {
        this.client = client;
        this.runtime = runtime;
        this.diskOnly = diskOnly;
        this.door = door;
        this.id = client.create(wakeable(runtime, labels)).id();
        this.gateway = new Pair(runDir.resolve("net").resolve(id)).gateway();
        try {
            client.services().create(id, service());
            Route route = client.routes().create(id, new CreateRoute("web", PORT, "public", null, null, null, null, null, null, null, null, null, true, null, null));
            this.url = URI.create(route.url());
            firstAnswer();
        } catch (IOException | RuntimeException problem) {
            client.destroy(id);
            throw problem;
        }
    }

    /** A default that gives sandboxes no network is none for this. */
    private static CreateSandbox wakeable(String runtime, Map<String, String> labels) {
        return new CreateSandbox(
                null, runtime, null, null, null, null, null, null, labels, null, null, null, null, null, null, null, null, null, true, null, null, null, new NetworkPolicy("open", null, null), null, null, null, null, null, null, null);
    }

    /** No plain command: where a pause keeps the disk only, a service starts anew after it. */
    private static CreateService service() {
        List<String> argv = List.of("python3", "-B", "-c", SERVER, Integer.toString(PORT), Integer.toString(Servers.ANSWER_BYTES));
        return new CreateService("web", argv, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /** Those of requests while it runs. */
    public List<Caller> callers() {
        return List.of(new Visitor(who("sandglass to ", Part.OURS), this::byRoute), new Visitor(who("direct to ", Part.BASELINE), this::direct));
    }

    /** Those who make it answer while it is paused. */
    public List<Waker> wakers() {
        return List.of(new Waker(who("sandglass woke ", Part.OURS), this, () -> {}), new Waker(who("by hand for ", Part.BASELINE), this, () -> client.resume(id, diskOnly)));
    }

    private Who who(String what, Part part) {
        return new Who(what + runtime, runtime, part);
    }

    private Requests byRoute() throws IOException {
        return Requests.plain(Requests.connect(door), url.getAuthority(), url.getPath());
    }

    private Requests direct() throws IOException {
        return Requests.plain(NetworkNamespace.call(gateway, () -> Requests.connect(new InetSocketAddress(Pair.INSIDE, PORT))), Pair.INSIDE, "/");
    }

    /** Asks by the route until there is an answer of the server: its program may have to start first. */
    private void firstAnswer() throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try (Requests requests = byRoute()) {
                requests.ask();
                return;
            } catch (IOException notYet) {
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException("the server in " + id + " does not answer", notYet);
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    @Override
    public void close() {
        client.destroy(id);
    }

    private interface Connecting {
        Requests open() throws IOException;
    }

    private record Visitor(Who who, Connecting way) implements Caller {
        @Override
        public Requests requests() throws IOException {
            return way.open();
        }
    }

    /**
     * Somebody who needs an answer of it while it is paused.
     *
     * @param first what is done before asking
     */
    public record Waker(Who who, Routed sandbox, Runnable first) implements Rounds.Entrant {
        /** Pauses it; returns how many nanoseconds it took to get an answer then. */
        public long wake() throws IOException {
            sandbox.client.pause(sandbox.id, sandbox.diskOnly);
            long begun = System.nanoTime();
            first.run();
            sandbox.firstAnswer();
            return System.nanoTime() - begun;
        }
    }
}
