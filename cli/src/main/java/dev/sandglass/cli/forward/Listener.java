package dev.sandglass.cli.forward;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.ForwardedPort;
import dev.sandglass.wire.SandglassException;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** Takes connections to one port of this machine and gives each a tunnel, so many at once; those that come then wait. */
public final class Listener implements Closeable {
    private static final int AT_ONCE = 256;

    private final ServerSocketChannel server;
    private final Forward forward;
    private final Client client;
    private final String sandbox;
    private final Consumer<SandglassException> trouble;
    private final Semaphore room = new Semaphore(AT_ONCE);

    private Listener(ServerSocketChannel server, Forward forward, Client client, String sandbox, Consumer<SandglassException> trouble) {
        this.server = server;
        this.forward = forward;
        this.client = client;
        this.sandbox = sandbox;
        this.trouble = trouble;
    }

    /**
     * Listens from now on.
     *
     * @param trouble is told why a connection came to nothing, from any thread
     */
    public static Listener open(Forward forward, Client client, String sandbox, Consumer<SandglassException> trouble) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            server.bind(new InetSocketAddress(InetAddress.getByName(forward.address()), forward.local()));
            return new Listener(server, forward, client, sandbox, trouble);
        } catch (IOException | RuntimeException problem) {
            server.close();
            throw problem;
        }
    }

    /** Where it listens, with the number that it took. */
    public ForwardedPort forwarded() throws IOException {
        InetSocketAddress bound = (InetSocketAddress) server.getLocalAddress();
        return new ForwardedPort(forward.address(), bound.getPort(), forward.port());
    }

    /** Takes connections until it is closed. */
    public void run() throws IOException, InterruptedException {
        while (server.isOpen()) {
            room.acquire();
            SocketChannel local = server.accept();
            Thread.ofVirtual().name("tunnel").start(() -> {
                try {
                    new Tunnel(local, client.patient(), sandbox, forward.port()).run();
                } catch (SandglassException problem) {
                    trouble.accept(problem);
                } finally {
                    room.release();
                }
            });
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
