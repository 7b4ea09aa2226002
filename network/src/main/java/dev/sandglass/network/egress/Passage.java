package dev.sandglass.network.egress;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.Decision;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Protocol;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.network.intercept.BrokenRequests;
import dev.sandglass.network.pair.Pair;
import dev.sandglass.network.sniff.FirstWords;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** One connection of a sandbox on its way to the world. */
final class Passage {
    private static final int DNS = 53;
    private static final int MOST_ADDRESSES = 3;
    /** For a client to begin to speak where nothing is done before it does. */
    private static final Duration SLOW = Duration.ofSeconds(30);

    private final Gateway gateway;
    private final SocketChannel inside;
    private final Instant began = Instant.now();
    private volatile @Nullable Attempt attempt;
    private volatile @Nullable SocketChannel outside;
    private volatile @Nullable Talk talk;

    Passage(Gateway gateway, SocketChannel inside) {
        this.gateway = gateway;
        this.inside = inside;
    }

    /** Takes it where it wants to go, or refuses it; the connection is closed when this returns. */
    void run() {
        try {
            inside.setOption(StandardSocketOptions.TCP_NODELAY, true);
            InetSocketAddress meant = (InetSocketAddress) inside.getLocalAddress();
            if (!(meant.getAddress() instanceof Inet4Address address) || meant.getPort() == 0) {
                Relay.reset(inside);
            } else if (meant.getPort() == DNS && address.getHostAddress().equals(Pair.GATEWAY)) {
                gateway.serveNames(inside);
            } else {
                pass(address, meant.getPort());
            }
        } catch (IOException gone) {
            end();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            end();
        }
    }

    private void pass(Inet4Address address, int port) throws IOException, InterruptedException {
        Optional<String> reserved = gateway.world().reserved().reason(address);
        if (reserved.isPresent()) {
            refuse(Attempt.to(address).on(port), "the address is reserved: " + reserved.get());
            return;
        }
        List<Attempt> candidates = candidates(address, port);
        if (candidates.stream().allMatch(each -> gateway.policy(each).decide(each) instanceof Decision.Denied)) {
            denyAll(candidates);
            return;
        }
        Opening opening = gateway.listen(inside);
        if (opening.isSilent() && (candidates.stream().noneMatch(this::isAllowed) || candidates.stream().anyMatch(gateway.secrets()::concern))) {
            opening = Opening.read(inside, SLOW); // what is spoken decides, so there is nobody yet to whom it could be passed
        }
        Optional<Attempt> allowed = judged(opening, candidates);
        if (allowed.isEmpty()) {
            return;
        }
        if (!opening.isSilent() && isLookedInto(allowed.get())) {
            converse(allowed.get(), opening.bytes());
            return;
        }
        SocketChannel found = dialed(allowed.get());
        if (found == null) {
            return;
        }
        relay(allowed.get(), opening, found);
    }

    private void relay(Attempt allowed, Opening opening, SocketChannel found) throws IOException, InterruptedException {
        String why = because(allowed);
        try (Relay relay = new Relay(inside, found)) {
            Optional<ByteBuffer> first = opening.isSilent() ? later(allowed, relay) : Optional.of(opening.bytes());
            if (first.isPresent()) {
                relay.run(first.get());
            }
            if (talk == null) {
                tell(allowed, why, relay.sent(), relay.received());
            }
        }
    }

    /** Where hosts are told apart, each request of plain HTTP may be for another one; what depends on requests has to be seen, and so has what gets a secret. */
    private boolean isLookedInto(Attempt allowed) {
        return hasToBeSeen(allowed) || gateway.secrets().concern(allowed);
    }

    private boolean hasToBeSeen(Attempt allowed) {
        boolean plain = allowed.protocol().equals(Optional.of(Protocol.HTTP));
        return !isAllowed(allowed) || (plain && gateway.policy().namesHosts());
    }

    private void converse(Attempt allowed, ByteBuffer said) throws IOException, InterruptedException {
        List<Attempt> known = order(allowed);
        List<Attempt> order = known.isEmpty() && allowed.name().filter(gateway.secrets()::leadElsewhere).isPresent() ? List.of(allowed) : known;
        if (order.isEmpty()) {
            Relay.reset(inside);
            tell(allowed, "not reached: no address that may be reached", 0, 0);
            return;
        }
        attempt = order.getFirst();
        Talk began = new Talk(gateway, order.getFirst(), !known.isEmpty());
        talk = began;
        review();
        began.run(inside, said);
    }

    /** What the sandbox may mean by an address: the names that it was told this address for, or the bare address. */
    private List<Attempt> candidates(Inet4Address address, int port) {
        List<Attempt> found = new ArrayList<>();
        gateway.resolved().names(address).forEach(name -> found.add(Attempt.to(name).at(address).on(port)));
        return found.isEmpty() ? List.of(Attempt.to(address).on(port)) : found;
    }

    /** Of several names that share an address the client says which one it means: a line about another would help nobody. */
    private void denyAll(List<Attempt> candidates) throws InterruptedException {
        if (candidates.size() == 1) {
            deny(candidates.getFirst());
            return;
        }
        try {
            switch (Claim.of(gateway.listen(inside).words(), candidates, (_, _) -> false)) {
                case Claim.Contradiction(Attempt told, String why) -> refuse(told, why);
                case Claim.Possible(List<Attempt> possible) -> deny(mayGoOn(possible.getFirst()) ? candidates.getFirst() : possible.getFirst());
            }
        } catch (IOException gone) {
            deny(candidates.getFirst());
        }
    }

    /** The attempt that the first words make of one of those, if it may go on; else it is refused. */
    private Optional<Attempt> judged(Opening opening, List<Attempt> candidates) throws IOException, InterruptedException {
        FirstWords words = opening.words();
        if (words instanceof FirstWords.Tls(_, boolean isHiding, _) && isHiding && gateway.policy().namesHosts()) {
            refuse(candidates.getFirst().speaking(Protocol.TLS), "its ClientHello may hide another name (ECH)");
            return Optional.empty();
        }
        switch (Claim.of(words, candidates, this::leadsTo)) {
            case Claim.Contradiction(Attempt told, String why) -> {
                if (opening.isBrokenRequest()) {
                    answer(told, why);
                } else {
                    refuse(told, why);
                }
                return Optional.empty();
            }
            case Claim.Possible(List<Attempt> possible) -> {
                Optional<Attempt> allowed = possible.stream().filter(this::mayGoOn).findFirst();
                if (allowed.isEmpty()) {
                    deny(possible.getFirst());
                }
                return allowed;
            }
        }
    }

    /**
     * The first words of a client that said nothing at first, while the server may speak. Nothing of it was passed on yet, and it is judged and looked into like one that speaks at
     * once: else a moment of silence would be a way round every look at names, and a slow client would be refused for being slow.
     */
    private Optional<ByteBuffer> later(Attempt silent, Relay relay) throws IOException, InterruptedException {
        Opening late = Opening.read(inside, Duration.ZERO);
        Attempt known = new Attempt(silent.name(), silent.address(), silent.port(), Optional.empty(), Optional.empty(), Optional.empty());
        if (late.isBrokenRequest() && !relay.abandon()) {
            refuse(known, "malformed, after the server spoke");
            return Optional.empty();
        }
        Optional<Attempt> allowed = judged(late, List.of(known));
        if (allowed.filter(this::isLookedInto).isPresent()) {
            if (relay.abandon()) {
                converse(allowed.get(), late.bytes());
            } else {
                refuse(allowed.get(), "the server spoke before it could be looked into");
            }
            return Optional.empty();
        }
        allowed.ifPresent(spoken -> attempt = spoken);
        review();
        return allowed.map(_ -> late.bytes());
    }

    /** Whether that name stands for that address to the rest of the world: programs know addresses from before the daemon that told them was replaced. */
    private boolean leadsTo(HostName name, Inet4Address address) throws InterruptedException {
        return gateway.mayAsk(name) && gateway.addresses(name).contains(address);
    }

    /** Whether it is allowed, or may be when its requests are seen. */
    private boolean mayGoOn(Attempt each) {
        return switch (gateway.policy(each).decide(each)) {
            case Decision.Allowed _ -> true;
            case Decision.Denied _ -> false;
            case Decision.Open() -> each.protocol().filter(Protocol::carriesRequests).isPresent();
        };
    }

    private boolean isAllowed(Attempt each) {
        return gateway.policy(each).decide(each) instanceof Decision.Allowed;
    }

    private @Nullable SocketChannel dialed(Attempt allowed) throws InterruptedException {
        try {
            SocketChannel found = dial(allowed);
            outside = found;
            review(); // the policy may have changed while it was dialed
            return found;
        } catch (IOException unreachable) {
            Relay.reset(inside);
            tell(allowed, "not reached: " + unreachable.getMessage(), 0, 0);
            return null;
        }
    }

    /** Asks for the name itself, and the policy for each address: where the sandbox was told that it leads may have been true once. */
    private SocketChannel dial(Attempt allowed) throws IOException, InterruptedException {
        List<Attempt> order = order(allowed);
        IOException failure = new IOException(allowed.name().map(HostName::text).orElse("") + " has no address that may be reached");
        for (Attempt each : order) {
            attempt = each;
            try {
                return gateway.world().dialer().dial(each.address().orElseThrow(), each.port().orElseThrow());
            } catch (IOException problem) {
                failure = problem;
            }
        }
        throw failure;
    }

    private List<Attempt> order(Attempt allowed) throws InterruptedException {
        Inet4Address meant = allowed.address().orElseThrow();
        List<Inet4Address> known = allowed.name().isPresent() ? gateway.addresses(allowed.name().get()) : List.of(meant);
        return (known.contains(meant) ? List.of(meant) : known).stream().map(allowed::at).filter(this::mayGoOn).limit(MOST_ADDRESSES).toList();
    }

    /** Ends it if the policy of now forbids what it was let through for, or judges requests of which nobody would see the next ones. */
    void review() {
        Attempt passing = attempt;
        if (passing != null && (!mayGoOn(passing) || isForbidden(passing, talk))) {
            end();
        }
    }

    private boolean isForbidden(Attempt passing, @Nullable Talk talking) {
        return talking == null ? outside != null && hasToBeSeen(passing) : talking.isForbidden();
    }

    /** As the policy says, so that one rule would open it. */
    private void deny(Attempt denied) {
        told(denied, because(denied), gateway.policy(denied).openingRule(denied), OptionalInt.empty());
        Relay.reset(inside);
    }

    /** For what no rule changes. */
    private void refuse(Attempt refused, String why) {
        told(refused, why, Optional.empty(), OptionalInt.empty());
        Relay.reset(inside);
    }

    /** First, so that who was refused finds it in the log. */
    private void told(Attempt refused, String why, Optional<Rule> opening, OptionalInt status) {
        gateway.tell(new Journey(gateway.sandbox(), began, refused, Verdict.DENY, why, opening, status, 0, 0, Duration.ZERO));
    }

    /** Tells the client what is wrong with its request, as a server would. */
    private void answer(Attempt refused, String why) throws IOException {
        told(refused, why, Optional.empty(), OptionalInt.of(BrokenRequests.STATUS));
        inside.write(BrokenRequests.answer(why)); // all of it, because nothing else was written
        Relay.finish(inside);
    }

    private String because(Attempt decided) {
        Policy policy = gateway.policy(decided);
        return switch (policy.decide(decided)) {
            case Decision.Allowed(OptionalInt rule) -> rule(policy, rule);
            case Decision.Denied(OptionalInt rule) -> rule(policy, rule);
            case Decision.Open() -> "it depends on what cannot be seen of this connection";
        };
    }

    private static String rule(Policy policy, OptionalInt rule) {
        return rule.isPresent() ? policy.rules().get(rule.getAsInt()).toString() : "otherwise " + policy.otherwise();
    }

    /** Of one that was let through; the policy may have ended it since. */
    private void tell(Attempt told, String why, long sent, long received) {
        Optional<Rule> opening = gateway.policy(told).openingRule(told);
        gateway.tell(new Journey(gateway.sandbox(), began, told, Verdict.ALLOW, why, opening, OptionalInt.empty(), sent, received, Duration.between(began, Instant.now())));
    }

    /** Resets both sides; fine if they are closed. */
    void end() {
        Relay.reset(inside);
        SocketChannel found = outside;
        if (found != null) {
            Relay.reset(found);
        }
        Talk talking = talk;
        if (talking != null) {
            talking.end();
        }
    }
}
