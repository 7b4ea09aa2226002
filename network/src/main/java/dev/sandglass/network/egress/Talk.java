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
import dev.sandglass.network.intercept.Addition;
import dev.sandglass.network.intercept.Conversation;
import java.io.IOException;
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
    private final Gateway gateway;
    private final Attempt attempt;
    private final Queue<Request> running = new ConcurrentLinkedQueue<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile Runnable end = () -> {};

    /** @param attempt at the address that it will reach */
    Talk(Gateway gateway, Attempt attempt) {
        this.gateway = gateway;
        this.attempt = attempt;
    }

    /** Returns when the connection is over. */
    void run(SocketChannel inside, ByteBuffer said) throws IOException, InterruptedException {
        if (isSecure()) {
            gateway.world().interception().take(inside, said, this, gateway.authority(), attempt.name().isEmpty());
        } else {
            gateway.world().interception().take(inside, said, this);
        }
        over.await();
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
    public InetSocketAddress place() {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(host(), attempt.address().orElseThrow().getAddress()), port());
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
        running.add(request);
        return ruling(request);
    }

    private Ruling ruling(Request request) {
        Attempt asked = attempt.asking(request);
        Policy policy = gateway.policy();
        return switch (policy.decide(asked)) {
            case Decision.Allowed _ -> new Ruling.Pass();
            case Decision.Denied(OptionalInt rule) -> refusal(policy, asked, because(policy, rule));
            case Decision.Open() -> switch (policy.decide(asked.calling(new Call.Plain()))) {
                case Decision.Allowed _ -> refusal(policy, asked, "a rule about tools stands before it, and calls of tools cannot be told apart yet");
                case Decision.Denied(OptionalInt rule) -> refusal(policy, asked, because(policy, rule));
                case Decision.Open() -> refusal(policy, asked, "it depends on what cannot be seen of this request");
            };
        };
    }

    @Override
    public List<Addition> additions(Request request) {
        return gateway.secrets().of(attempt.asking(request));
    }

    private static Ruling refusal(Policy policy, Attempt asked, String why) {
        String hint = policy.openingRule(asked).map(Rule::destination).map(place -> "`sandglass policy allow SANDBOX " + place + "` on the host opens it.").orElse("Change the policy on the host.");
        return new Ruling.Refusal(why, hint);
    }

    private static String because(Policy policy, OptionalInt rule) {
        return rule.isPresent() ? policy.rules().get(rule.getAsInt()).toString() : "otherwise " + policy.otherwise();
    }

    @Override
    public void ended(Exchange exchange) {
        running.remove(exchange.request());
        Attempt asked = attempt.asking(exchange.request());
        Policy policy = gateway.policy();
        boolean passed = exchange.ruling() instanceof Ruling.Pass;
        String why = switch (exchange.ruling()) {
            case Ruling.Refusal(String said, _) -> said;
            case Ruling.Pass() -> policy.decide(asked) instanceof Decision.Allowed(OptionalInt rule) ? because(policy, rule) : "allowed when it came";
        };
        Duration lasted = passed ? Duration.ofNanos(exchange.nanos()) : Duration.ZERO;
        gateway.tell(new Journey(
                gateway.sandbox(),
                Instant.now().minusNanos(exchange.nanos()),
                asked,
                passed ? Verdict.ALLOW : Verdict.DENY,
                why,
                passed ? Optional.empty() : policy.openingRule(asked),
                exchange.status() == 0 ? OptionalInt.empty() : OptionalInt.of(exchange.status()),
                exchange.sent(),
                exchange.received(),
                lasted));
    }

    @Override
    public void closed() {
        over.countDown();
    }
}
