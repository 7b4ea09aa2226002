package dev.sandglass.network.dns;

import dev.sandglass.engine.network.HostName;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.UnsupportedAddressTypeException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Asks the resolvers of the host for the addresses of a name. What they said is remembered for a while, and who asks for a name that is being asked for gets the same
 * answer. Safe for several threads; a caller waits, so it should be a virtual one.
 */
public final class Upstream {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int TRIES = 3;
    /** Each holds a descriptor; as many as sixteen sandboxes can have open that ask for nothing but what is never answered. */
    static final int MOST_AT_ONCE = 1024;

    private final Supplier<List<InetSocketAddress>> servers;
    private final Sockets sockets;
    private final Duration patience;
    private final Memory memory;
    private final SecureRandom ids = new SecureRandom();
    private final ConcurrentMap<HostName, CompletableFuture<Resolution>> underWay = new ConcurrentHashMap<>();

    /**
     * Asks {@link HostResolvers}, for example.
     *
     * @param servers asked in this order, the next one when one fails
     */
    public Upstream(Supplier<List<InetSocketAddress>> servers, Sockets sockets) {
        this(servers, sockets, PATIENCE, System::nanoTime);
    }

    Upstream(Supplier<List<InetSocketAddress>> servers, Sockets sockets, Duration patience, LongSupplier nanos) {
        this.servers = servers;
        this.sockets = sockets;
        this.patience = patience;
        this.memory = new Memory(nanos);
    }

    /** Returns within about five seconds. */
    public Resolution resolve(HostName name) {
        Optional<Resolution> known = memory.find(name);
        if (known.isPresent()) {
            return known.get();
        }
        if (underWay.size() >= MOST_AT_ONCE) {
            return new Resolution.Failed("more than " + MOST_AT_ONCE + " questions at once");
        }
        CompletableFuture<Resolution> mine = new CompletableFuture<>();
        CompletableFuture<Resolution> earlier = underWay.putIfAbsent(name, mine);
        if (earlier == null) {
            // In a thread of its own: others may wait for it too when this caller is interrupted.
            Thread.ofVirtual().name("dns-question").start(() -> settle(name, mine));
        }
        return await(earlier == null ? mine : earlier);
    }

    private Resolution await(CompletableFuture<Resolution> future) {
        try {
            return future.get(patience.plusSeconds(1).toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return new Resolution.Failed("interrupted");
        } catch (ExecutionException | TimeoutException failed) {
            return new Resolution.Failed(String.valueOf(failed.getMessage()));
        }
    }

    /** What it found is remembered before the question is over, and that is over before anybody hears: who asks then gets what is remembered, or asks anew. */
    private void settle(HostName name, CompletableFuture<Resolution> future) {
        try {
            // Whoever was asking when this caller looked may have been done before it began to ask itself.
            Resolution resolution = memory.find(name).orElseGet(() -> memory.keep(name, ask(name)));
            underWay.remove(name);
            future.complete(resolution);
        } catch (RuntimeException | Error fault) {
            underWay.remove(name);
            future.completeExceptionally(fault);
        }
    }

    private Resolution ask(HostName name) {
        Record question = Record.newRecord(Name.fromConstantString(name.text() + "."), Type.A, DClass.IN);
        Deadline deadline = Deadline.in(patience);
        List<InetSocketAddress> asked = servers.get();
        Set<InetSocketAddress> useless = new HashSet<>();
        String reason = "the host names no resolver";
        for (int tries = 0; tries < TRIES && !asked.isEmpty() && !deadline.isOver(); tries++) {
            InetSocketAddress server = asked.get(tries % asked.size());
            if (useless.contains(server)) {
                continue;
            }
            try {
                Deadline share = Deadline.in(deadline.left().dividedBy(TRIES - tries));
                Resolution resolution = Answers.read(new Exchange(sockets, server, share).ask(query(question)));
                if (!(resolution instanceof Resolution.Failed(String said))) {
                    return resolution;
                }
                // It said that it does not know; it would say so again.
                useless.add(server);
                reason = server.getAddress().getHostAddress() + ": " + said;
            } catch (IOException | UnsupportedAddressTypeException failed) {
                reason = server.getAddress().getHostAddress() + ": " + failed.getMessage();
            }
        }
        return new Resolution.Failed(reason);
    }

    private Message query(Record question) {
        Message query = new Message(ids.nextInt(1 << 16));
        query.getHeader().setFlag(Flags.RD);
        query.addRecord(question, Section.QUESTION);
        return query;
    }
}
