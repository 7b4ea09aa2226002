package dev.sandglass.network.egress;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Protocol;
import dev.sandglass.network.sniff.Authority;
import dev.sandglass.network.sniff.FirstWords;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Where a client says that it wants to go, held against where it went. */
sealed interface Claim {
    /** It may be any of these, at least one, of which the best for the sandbox may be taken: whatever is taken is dialed as such. */
    record Possible(List<Attempt> attempts) implements Claim {}

    /** It says something else than it does, or what nobody understands. */
    record Contradiction(Attempt attempt, String why) implements Claim {}

    /** Whether a name stands for an address. */
    interface Leading {
        boolean test(HostName name, Inet4Address address) throws InterruptedException;
    }

    /**
     * Holds the first words against what the address may mean.
     *
     * @param candidates names that the sandbox was told this address for, or one bare address
     * @param leadsTo whether a name stands for an address, where the sandbox was not told so
     */
    static Claim of(FirstWords words, List<Attempt> candidates, Leading leadsTo) throws InterruptedException {
        return switch (words) {
            case FirstWords.Tls(Optional<HostName> name, _, _) -> name.isPresent()
                    ? named(name.get(), Protocol.TLS, candidates, leadsTo)
                    : speaking(Protocol.TLS, candidates);
            case FirstWords.Http(Optional<Authority> host, _, _) -> host.isPresent()
                    ? addressed(host.get(), candidates, leadsTo)
                    : speaking(Protocol.HTTP, candidates);
            case FirstWords.Ssh() -> speaking(Protocol.SSH, candidates);
            case FirstWords.Other(), FirstWords.NeedMore() -> speaking(Protocol.OTHER, candidates);
            case FirstWords.Http2Clear() -> new Contradiction(candidates.getFirst(), "HTTP/2 without TLS hides which host it is for");
            case FirstWords.Malformed(String reason) -> new Contradiction(candidates.getFirst(), "malformed: " + reason);
        };
    }

    private static Claim speaking(Protocol protocol, List<Attempt> candidates) {
        return new Possible(candidates.stream().map(each -> each.speaking(protocol)).toList());
    }

    private static Claim addressed(Authority host, List<Attempt> candidates, Leading leadsTo) throws InterruptedException {
        Attempt first = candidates.getFirst();
        OptionalInt port = host.port();
        if (port.isPresent() && port.getAsInt() != first.port().orElseThrow()) {
            return new Contradiction(first.speaking(Protocol.HTTP), "the Host header names port " + port.getAsInt());
        }
        return switch (host) {
            case Authority.Named(HostName name, _) -> named(name, Protocol.HTTP, candidates, leadsTo);
            case Authority.Numbered(InetAddress address, _) -> numbered(address, first);
        };
    }

    /** It is for a bare address then, whatever names the sandbox was told it for. */
    private static Claim numbered(InetAddress address, Attempt first) {
        Inet4Address meant = first.address().orElseThrow();
        Attempt bare = Attempt.to(meant).on(first.port().orElseThrow()).speaking(Protocol.HTTP);
        return meant.equals(address) ? new Possible(List.of(bare)) : new Contradiction(bare, "the Host header names another address");
    }

    private static Claim named(HostName name, Protocol protocol, List<Attempt> candidates, Leading leadsTo) throws InterruptedException {
        Attempt first = candidates.getFirst();
        Inet4Address address = first.address().orElseThrow();
        Attempt claimed = Attempt.to(name).at(address).on(first.port().orElseThrow()).speaking(protocol);
        boolean isTold = candidates.stream().anyMatch(each -> each.name().equals(Optional.of(name)));
        return isTold || leadsTo.test(name, address)
                ? new Possible(List.of(claimed))
                : new Contradiction(claimed, "it asks for " + name + " at an address that is not its");
    }
}
