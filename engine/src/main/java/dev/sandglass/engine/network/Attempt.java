package dev.sandglass.engine.network;

import java.net.Inet4Address;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What is known of an attempt to reach something. It grows: a query knows a name, a connection also the address and the port, its first bytes tell
 * the protocol, and where the gateway can look inside, each request and the call in it. What is absent is not known yet, with one exception: an attempt that has an address
 * and no name is to a bare address, and stays that.
 */
public record Attempt(
        Optional<HostName> name, Optional<Inet4Address> address, OptionalInt port, Optional<Protocol> protocol, Optional<Request> request, Optional<Call> call) {
    public Attempt {
        require(name.isPresent() || address.isPresent(), "an attempt needs a name or an address");
        require(port.isEmpty() || (port.getAsInt() >= 1 && port.getAsInt() <= PortRange.LARGEST), "port: " + port + " (expected: 1 to " + PortRange.LARGEST + ")");
        require(request.isEmpty() || protocol.filter(Protocol::carriesRequests).isPresent(), "a request needs a protocol that carries requests");
        require(call.isEmpty() || request.isPresent(), "a call needs a request");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(what);
        }
    }

    public static Attempt to(HostName name) {
        return new Attempt(Optional.of(name), Optional.empty(), OptionalInt.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** To an address that nobody asked a name for. */
    public static Attempt to(Inet4Address address) {
        return new Attempt(Optional.empty(), Optional.of(address), OptionalInt.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    public Attempt at(Inet4Address where) {
        return new Attempt(name, Optional.of(where), port, protocol, request, call);
    }

    public Attempt on(int number) {
        return new Attempt(name, address, OptionalInt.of(number), protocol, request, call);
    }

    public Attempt speaking(Protocol spoken) {
        return new Attempt(name, address, port, Optional.of(spoken), request, call);
    }

    public Attempt asking(Request asked) {
        return new Attempt(name, address, port, protocol, Optional.of(asked), call);
    }

    public Attempt calling(Call called) {
        return new Attempt(name, address, port, protocol, request, Optional.of(called));
    }

    /** Whether there is nothing more to know. */
    public boolean isComplete() {
        boolean connected = address.isPresent() && port.isPresent() && protocol.isPresent();
        return connected && (call.isPresent() || !carriesRequests());
    }

    /** Whether requests may come, as far as that is known. */
    private boolean carriesRequests() {
        return protocol.isEmpty() || protocol.get().carriesRequests();
    }

    /** How a rule about something inside of requests matches while none was seen. */
    Match unseen() {
        return carriesRequests() ? Match.DEPENDS : Match.NO;
    }
}
