package dev.sandglass.network.egress;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.Decision;
import dev.sandglass.engine.network.DottedQuad;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.network.dns.NameListener;
import dev.sandglass.network.dns.NameServer;
import dev.sandglass.network.dns.Resolution;
import dev.sandglass.network.dns.Resolved;
import dev.sandglass.network.intercept.Authority;
import dev.sandglass.network.pair.Gate;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way out of one sandbox: takes its connections and its questions, and lets through what its policy of this moment allows. Thread-safe. */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    /** Connections of which the first words are being read, which takes memory until they are whole; others wait. */
    private static final int OPENINGS = 256;
    /** What it asks upstream for its connections, besides what it answers: all sandboxes share that. */
    private static final int QUESTIONS = 32;
    /** Connections to the resolver, which may stay open and idle for a while. */
    private static final int NAME_STREAMS = 16;

    private static final Resolution ELSEWHERE = new Resolution.Addresses(List.of(DottedQuad.parse("192.0.2.1").orElseThrow()), Duration.ofSeconds(60));
    private static final Duration BETWEEN_FAULTS = Duration.ofMillis(100);

    private final SandboxId sandbox;
    private final Gate gate;
    private final Authority authority;
    private final World world;
    private final Consumer<Journey> journal;
    private final Resolved resolved = new Resolved();
    private final NameListener names;
    private final Semaphore questions = new Semaphore(QUESTIONS);
    private final Semaphore nameStreams = new Semaphore(NAME_STREAMS);
    private final Semaphore openings = new Semaphore(OPENINGS);
    private final Semaphore places;
    private final Set<Passage> passages = ConcurrentHashMap.newKeySet();
    private final Lately refused = new Lately(Duration.ofSeconds(2));
    private final Lately unknown = new Lately(Duration.ofSeconds(10));
    private volatile Secrets secrets;
    private volatile Policy policy;

    /**
     * Closed until it is opened.
     *
     * @param authority that the sandbox trusts
     * @param policy with the places of registries in it
     * @param secrets of which those hold that there are at the time of a request
     */
    public Gateway(SandboxId sandbox, Gate gate, Authority authority, Policy policy, Secrets secrets, World world, Consumer<Journey> journal) {
        this.sandbox = sandbox;
        this.authority = authority;
        this.gate = gate;
        this.policy = policy;
        this.secrets = secrets;
        this.world = world;
        this.journal = journal;
        this.places = new Semaphore(world.capacity().ofOne());
        this.names = new NameListener(new NameServer(this::permits, this::resolve, this::isReachable, resolved));
    }

    /** Begins to take what comes. */
    public Gateway open() {
        Thread.ofVirtual().name("gateway-" + sandbox).start(this::takeConnections);
        Thread.ofVirtual().name("resolver-" + sandbox).start(() -> names.serve(gate.questions()));
        return this;
    }

    /** Puts another policy in force, and other secrets; connections that it forbids are reset. */
    public void change(Policy other, Secrets others) {
        secrets = others;
        policy = other;
        passages.forEach(Passage::review);
    }

    SandboxId sandbox() {
        return sandbox;
    }

    Policy policy() {
        return policy;
    }

    /** What decides about an attempt: addresses that the host's owner opened are open only to rules that name something. */
    Policy policy(Attempt attempt) {
        Policy now = policy;
        return attempt.address().filter(world.reserved()::isOpened).isPresent() ? now.aboutPrivate() : now;
    }

    Secrets secrets() {
        return secrets;
    }

    Authority authority() {
        return authority;
    }

    World world() {
        return world;
    }

    Resolved resolved() {
        return resolved;
    }

    /** Answers questions that come by a connection, which is closed then. */
    void serveNames(SocketChannel connection) {
        if (!nameStreams.tryAcquire()) {
            Relay.reset(connection);
            return;
        }
        try {
            names.serve(connection);
        } finally {
            nameStreams.release();
        }
    }

    /** The addresses of a name that may be reached at all. */
    List<Inet4Address> addresses(HostName name) throws InterruptedException {
        questions.acquire();
        try {
            return world.upstream().resolve(name) instanceof Resolution.Addresses(List<Inet4Address> found, Duration _)
                    ? found.stream().filter(this::isReachable).toList()
                    : List.of();
        } finally {
            questions.release();
        }
    }

    Opening listen(SocketChannel connection) throws IOException, InterruptedException {
        openings.acquire();
        try {
            return Opening.read(connection, world.silence());
        } finally {
            openings.release();
        }
    }

    void tell(Journey journey) {
        journal.accept(journey);
    }

    /** What is served elsewhere has an address even if nobody knows one, so that a sandbox can ask for it. */
    private Resolution resolve(HostName name) {
        Resolution found = world.upstream().resolve(name);
        if (!(found instanceof Resolution.Addresses) && secrets.leadElsewhere(name)) {
            return ELSEWHERE;
        }
        leadsNowhere(found).filter(_ -> unknown.isNew(name)).ifPresent(why -> tell(name, Verdict.ALLOW, why, Optional.empty()));
        return found;
    }

    /** Why nobody gets anywhere by a name that may be asked for: nothing comes of it that could be told of later. */
    private Optional<String> leadsNowhere(Resolution found) {
        return switch (found) {
            case Resolution.Addresses(List<Inet4Address> addresses, _) -> addresses.stream().anyMatch(this::isReachable)
                    ? Optional.empty()
                    : addresses.stream().findFirst().flatMap(world.reserved()::reason).map(reason -> "not reached: its address is reserved: " + reason);
            case Resolution.NoSuchName() -> Optional.of("not reached: no such name");
            case Resolution.NoAddresses() -> Optional.of("not reached: the name has no address of IPv4");
            case Resolution.Failed(String reason) -> Optional.of("not reached: the resolvers failed: " + reason);
        };
    }

    private boolean permits(HostName asked) {
        Policy names = policy.aboutNames();
        Attempt attempt = Attempt.to(asked);
        if (!(names.decide(attempt) instanceof Decision.Denied(OptionalInt rule))) {
            return true;
        }
        if (refused.isNew(asked)) {
            String because = rule.isPresent() ? ": " + names.rules().get(rule.getAsInt()) : "";
            tell(asked, Verdict.DENY, "its name may not be asked for" + because, names.openingRule(attempt));
        }
        return false;
    }

    private void tell(HostName asked, Verdict verdict, String why, Optional<Rule> opening) {
        tell(new Journey(sandbox, Instant.now(), Attempt.to(asked), verdict, why, opening, OptionalInt.empty(), 0, 0, Duration.ZERO));
    }

    /** Whether anything at that name may be reached. */
    boolean mayAsk(HostName name) {
        return !(policy.aboutNames().decide(Attempt.to(name)) instanceof Decision.Denied);
    }

    private boolean isReachable(Inet4Address address) {
        return world.reserved().reason(address).isEmpty();
    }

    private void takeConnections() {
        while (gate.connections().isOpen()) {
            try {
                take(gate.connections().accept());
            } catch (IOException fault) {
                if (!pause()) {
                    return;
                }
            }
        }
    }

    private void take(SocketChannel connection) {
        if (!places.tryAcquire()) {
            Relay.reset(connection);
            return;
        }
        if (!world.capacity().take()) {
            places.release();
            Relay.reset(connection);
            return;
        }
        Passage passage = new Passage(this, connection);
        passages.add(passage);
        Thread.ofVirtual().name("passage-" + sandbox).start(() -> {
            try {
                passage.run();
            } catch (RuntimeException fault) {
                LOG.warn("A connection of {} ended for a fault of the gateway", sandbox, fault);
            } finally {
                passage.end();
                passages.remove(passage);
                places.release();
                world.capacity().giveBack();
            }
        });
    }

    /** Lest a fault that stays, like too many open files, keeps a core busy. */
    private boolean pause() {
        try {
            Thread.sleep(BETWEEN_FAULTS);
            return gate.connections().isOpen();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Nothing gets out from now on. */
    @Override
    public void close() {
        policy = Policy.NONE;
        try {
            gate.close();
        } catch (IOException problem) {
            LOG.warn("The gateway of {} did not close: {}", sandbox, problem.getMessage());
        }
        passages.forEach(Passage::end);
    }
}
