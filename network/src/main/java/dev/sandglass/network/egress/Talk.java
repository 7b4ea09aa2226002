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
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;

/** A connection of a sandbox whose requests are judged one by one, by the policy of the moment in which each comes. */
final class Talk implements Conversation {
    private final Gateway gateway;
    private final Attempt attempt;
    private final CountDownLatch over = new CountDownLatch(1);

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
        return called(host(), attempt.address().orElseThrow(), port());
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
    public Provision provision(Request request) {
        return gateway.secrets().of(attempt.asking(request));
    }

    @Override
    public Optional<InetSocketAddress> place(Detour detour) {
        return OwnersPlace.of(detour.host(), gateway.world()).map(address -> called(detour.host(), address, detour.port()));
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
