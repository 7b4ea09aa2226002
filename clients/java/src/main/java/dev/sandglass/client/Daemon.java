package dev.sandglass.client;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Target;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A daemon to talk to. Connections are kept for the next call, and closed when they are not used. Thread-safe. */
public final class Daemon {
    private static final int MOST_KEPT = 8;

    private final Target target;
    private final ConcurrentLinkedDeque<Client> kept = new ConcurrentLinkedDeque<>();
    private final AtomicInteger count = new AtomicInteger();

    private Daemon(Target target) {
        this.target = target;
    }

    /** By SANDGLASS_URL with SANDGLASS_API_KEY, else the socket and token file of this machine. */
    public static Daemon find() {
        return new Daemon(Target.find(null, null, null, System.getenv()));
    }

    /**
     * A daemon at an address.
     *
     * @param url {@code http://HOST:PORT}, {@code https://HOST:PORT} or {@code unix:///PATH}
     * @param apiKey its token
     */
    public static Daemon at(String url, String apiKey) {
        return new Daemon(new Target(Target.find(url, null, null, Map.of("SANDGLASS_API_KEY", apiKey)).endpoint(), apiKey));
    }

    /** A daemon at an address, with the token of the environment or of this machine. */
    public static Daemon at(String url) {
        return new Daemon(Target.find(url, null, null, System.getenv()));
    }

    /** The same with another token. */
    public Daemon withApiKey(String apiKey) {
        return new Daemon(new Target(target.endpoint(), apiKey));
    }

    /** The daemon of this machine that keeps its data there. */
    public static Daemon of(Path dataDir) {
        return new Daemon(Target.find(null, null, dataDir.toString(), System.getenv()));
    }

    /** Where it is, as a person knows it. */
    @Override
    public String toString() {
        return target.endpoint().shown();
    }

    <T> T ask(Function<Client, T> call) {
        Client client = kept.pollFirst();
        if (client == null) {
            client = new Client(target);
        } else {
            count.decrementAndGet();
        }
        try {
            return call.apply(client);
        } finally {
            if (count.incrementAndGet() > MOST_KEPT) {
                count.decrementAndGet();
                client.close();
            } else {
                kept.addFirst(client);
            }
        }
    }

    /** For what may take as long as it takes. */
    <T> T askPatiently(Function<Client, T> call) {
        try (Client client = patient()) {
            return call.apply(client);
        }
    }

    /** A connection of its own for a stream; the caller closes it. */
    Client patient() {
        return new Client(target).patient();
    }
}
