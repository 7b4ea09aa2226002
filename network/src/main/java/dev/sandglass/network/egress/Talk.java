package dev.sandglass.network.egress;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.Call;
import dev.sandglass.engine.network.Decision;
import dev.sandglass.engine.network.DottedQuad;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Protocol;
import dev.sandglass.engine.network.Request;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.network.intercept.Conversation;
import dev.sandglass.network.intercept.Detour;
import dev.sandglass.network.intercept.Interception;
import dev.sandglass.network.intercept.Provision;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** A connection of a sandbox whose requests are judged one by one, by the policy of the moment in which each comes. */
final class Talk implements Conversation {
    /** Alerts of a client that got a certificate and does not believe it, as TLS names them. */
    private static final List<String> DISTRUST = List.of("unknown_ca", "bad_certificate", "certificate_unknown", "unsupported_certificate", "certificate_expired");

    private final Gateway gateway;
    private final Attempt attempt;
    private final boolean isKnown;
    private final List<Call> calls;
    private final Queue<List<Attempt>> running;
    private final CountDownLatch over;
    private volatile Runnable end = () -> {};

    /**
     * Nothing is begun yet.
     *
     * @param attempt at the address that it will reach
     * @param isKnown whether that is an address of its name; else it stands for one that nobody knows, and only what is served elsewhere gets anywhere
     */
    Talk(Gateway gateway, Attempt attempt, boolean isKnown) {
        this(gateway, attempt, isKnown, List.of(), new ConcurrentLinkedQueue<>(), new CountDownLatch(1));
    }

    private Talk(Gateway gateway, Attempt attempt, boolean isKnown, List<Call> calls, Queue<List<Attempt>> running, CountDownLatch over) {
        this.gateway = gateway;
        this.attempt = attempt;
        this.isKnown = isKnown;
        this.calls = calls;
        this.running = running;
        this.over = over;
    }

    /** Returns when the connection is over. */
    void run(SocketChannel inside, ByteBuffer said) throws IOException, InterruptedException {
        Interception interception = gateway.world().interception();
        if (isSecure() ? interception.take(inside, said, this, gateway.authority(), attempt.name().isEmpty()) : interception.take(inside, said, this)) {
            over.await();
        } else {
            tell("not looked into: too many connections are at once");
            Relay.reset(inside);
        }
    }

    /** Whether the policy of now forbids a request that is being answered, which may take long. */
    boolean isForbidden() {
        return running.stream().anyMatch(request -> ruling(request) instanceof Ruling.Refusal);
    }

    /** Ends it at once; fine if it is over. */
    void end() {
        end.run();
        over.countDown(); // who is ended before it was taken over is never told to be closed
    }

    @Override
    public void opened(Runnable how) {
        end = how;
    }

    @Override
    public Object owner() {
        return gateway.sandbox();
    }

    @Override
    public String host() {
        return attempt.name().map(HostName::text).orElseGet(() -> DottedQuad.text(attempt.address().orElseThrow()));
    }

    @Override
    public int port() {
        return attempt.port().orElseThrow();
    }

    @Override
    public Optional<InetSocketAddress> place() {
        return isKnown ? attempt.address().map(address -> called(host(), address, port())) : Optional.empty();
    }

    /** Under the name that its certificate has to be for. */
    private static InetSocketAddress called(String host, Inet4Address address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(host, address.getAddress()), port);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("Four bytes are an address.", impossible);
        }
    }

    @Override
    public boolean isSecure() {
        return attempt.protocol().equals(Optional.of(Protocol.TLS));
    }

    @Override
    public Ruling judge(Request request) {
        List<Attempt> asked = attempts(request);
        running.add(asked);
        return ruling(asked);
    }

    @Override
    public boolean dependsOnCalls(Request request) {
        return gateway.policy(attempt).decide(attempt.asking(request)) instanceof Decision.Open;
    }

    @Override
    public Conversation calling(List<Call> known) {
        return new Talk(gateway, attempt, isKnown, known, running, over);
    }

    /** One for each call in it, if that is known. */
    private List<Attempt> attempts(Request request) {
        Attempt asked = attempt.asking(request);
        return calls.isEmpty() ? List.of(asked) : calls.stream().map(asked::calling).distinct().toList();
    }

    /** All of it is allowed, or nothing is. */
    private Ruling ruling(List<Attempt> asked) {
        Policy policy = gateway.policy(attempt);
        return asked.stream().map(each -> ruling(policy, each)).filter(Ruling.Refusal.class::isInstance).findFirst().orElseGet(Ruling.Pass::new);
    }

    private static Ruling ruling(Policy policy, Attempt asked) {
        return switch (policy.decide(asked)) {
            case Decision.Allowed _ -> new Ruling.Pass();
            case Decision.Denied(OptionalInt rule) -> refusal(policy, asked, because(policy, rule));
            case Decision.Open() -> refusal(policy, asked, "it depends on what cannot be seen of this request");
        };
    }

    @Override
    public Provision provision(Request request) {
        return gateway.secrets().of(attempt.asking(request));
    }

    @Override
    public Optional<InetSocketAddress> place(Detour detour) {
        return OwnersPlace.of(detour.host(), gateway.world()).map(address -> called(detour.host(), address, detour.port()));
    }

    private static Ruling refusal(Policy policy, Attempt asked, String why) {
        String hint = policy.openingRule(asked).map(Rule::destination).map(place -> "`sandglass policy allow SANDBOX '" + place + "'` on the host opens it.").orElse("Change the policy on the host.");
        return new Ruling.Refusal(why, hint);
    }

    private static String because(Policy policy, OptionalInt rule) {
        return rule.isPresent() ? policy.rules().get(rule.getAsInt()).toString() : "otherwise " + policy.otherwise();
    }

    @Override
    public void ended(Exchange exchange) {
        List<Attempt> asked = attempts(exchange.request());
        running.remove(asked);
        Policy policy = gateway.policy(attempt);
        Attempt told = asked.stream().filter(each -> ruling(policy, each) instanceof Ruling.Refusal).findFirst().orElseGet(asked::getFirst);
        tell(policy, told, calls.size(), exchange);
    }

    /** One line for a request, however many calls are in it: else a sandbox could push all others out of the log with one. */
    private void tell(Policy policy, Attempt asked, int count, Exchange exchange) {
        boolean passed = exchange.ruling() instanceof Ruling.Pass;
        String why = switch (exchange.ruling()) {
            case Ruling.Refusal(String said, _) -> said;
            case Ruling.Pass() -> exchange.failure().map(failure -> "not answered: " + failure).orElseGet(() -> allowed(policy, asked));
        };
        Duration lasted = passed ? Duration.ofNanos(exchange.nanos()) : Duration.ZERO;
        gateway.tell(new Journey(
                gateway.sandbox(),
                Instant.now().minusNanos(exchange.nanos()),
                asked,
                passed ? Verdict.ALLOW : Verdict.DENY,
                count > 1 ? why + " (one of " + count + " messages in this request)" : why,
                passed ? Optional.empty() : policy.openingRule(asked),
                exchange.status() == 0 ? OptionalInt.empty() : OptionalInt.of(exchange.status()),
                exchange.sent(),
                exchange.received(),
                lasted));
    }

    private static String allowed(Policy policy, Attempt asked) {
        return policy.decide(asked) instanceof Decision.Allowed(OptionalInt rule) ? because(policy, rule) : "allowed when it came";
    }

    @Override
    public void refused(Optional<Request> request, int status, String why) {
        Attempt told = request.map(attempt::asking).orElse(attempt);
        OptionalInt answered = status == 0 ? OptionalInt.empty() : OptionalInt.of(status);
        gateway.tell(new Journey(gateway.sandbox(), Instant.now(), told, Verdict.DENY, why, Optional.empty(), answered, 0, 0, Duration.ZERO));
    }

    @Override
    public void notSecured(String why) {
        Optional<String> alert = DISTRUST.stream().filter(why::contains).findFirst();
        String told = alert.map(each -> "the program does not trust the gateway (" + each + "): it must use the system's certificates, or those that SSL_CERT_FILE names").orElse("the program ended the handshake of TLS");
        tell("not looked into: " + told);
    }

    private void tell(String why) {
        gateway.tell(new Journey(gateway.sandbox(), Instant.now(), attempt, Verdict.ALLOW, why, Optional.empty(), OptionalInt.empty(), 0, 0, Duration.ZERO));
    }

    @Override
    public void closed() {
        over.countDown();
    }
}
