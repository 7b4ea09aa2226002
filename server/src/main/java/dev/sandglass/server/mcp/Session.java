package dev.sandglass.server.mcp;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A client that began with {@code initialize}. Thread-safe.
 *
 * <p>It is known to this daemon only: a client whose session is gone begins another one, and loses nothing but its subscriptions.
 */
final class Session {
    private static final int MOST_SUBSCRIPTIONS = 100;

    private final String id;
    private final Version version;
    private final Jobs jobs = new Jobs();
    private final Set<String> subscriptions = new LinkedHashSet<>();
    private boolean listening;
    private boolean over;
    private long usedNanos = System.nanoTime();

    Session(String id, Version version) {
        this.id = id;
        this.version = version;
    }

    String id() {
        return id;
    }

    Version version() {
        return version;
    }

    Jobs jobs() {
        return jobs;
    }

    synchronized void use() {
        usedNanos = System.nanoTime();
    }

    /** For how long nobody has used it, while nothing was at work. */
    synchronized long idleNanos() {
        return jobs.isEmpty() && !listening ? System.nanoTime() - usedNanos : 0;
    }

    synchronized boolean isOver() {
        return over;
    }

    void close() {
        synchronized (this) {
            over = true;
        }
        jobs.close(true);
    }

    synchronized void subscribe(String uri) {
        if (!subscriptions.contains(uri)) {
            requireFew(subscriptions.size() + 1);
            subscriptions.add(uri);
        }
    }

    synchronized void unsubscribe(String uri) {
        subscriptions.remove(uri);
    }

    synchronized Set<String> subscriptions() {
        return Set.copyOf(subscriptions);
    }

    /** One stream at a time tells of changes, so that none is told twice; false for a second one. */
    synchronized boolean beginListening() {
        boolean first = !listening;
        listening = true;
        return first;
    }

    synchronized void endListening() {
        listening = false;
        usedNanos = System.nanoTime();
    }

    /** The resources that a client wants to hear of. */
    static Set<String> uris(@Nullable Object given) {
        if (given == null) {
            return Set.of();
        }
        if (!(given instanceof List<?> list) || !list.stream().allMatch(String.class::isInstance)) {
            throw RpcException.invalidParams("resourceSubscriptions: it is no list of URIs.", "Send a list of texts.");
        }
        requireFew(list.size());
        Set<String> uris = new LinkedHashSet<>();
        list.forEach(uri -> uris.add((String) uri));
        return uris;
    }

    private static void requireFew(int count) {
        if (count > MOST_SUBSCRIPTIONS) {
            throw RpcException.invalidParams(count + " subscriptions (expected: at most " + MOST_SUBSCRIPTIONS + ").", "Subscribe to sandglass://tree, which changes with every sandbox.");
        }
    }
}
