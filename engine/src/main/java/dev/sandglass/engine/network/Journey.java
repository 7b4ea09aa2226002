package dev.sandglass.engine.network;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.NetworkAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What became of one attempt of a sandbox to reach something.
 *
 * @param verdict whether it went on
 * @param why the rule that decided, or what else did
 * @param opening the rule that would let it through, if one would
 * @param sent bytes that the sandbox sent
 * @param received bytes that it got
 * @param status what the server answered to a request that the gateway could see
 * @param lasted zero for what was refused
 */
public record Journey(
        SandboxId sandbox,
        Instant at,
        Attempt attempt,
        Verdict verdict,
        String why,
        Optional<Rule> opening,
        OptionalInt status,
        long sent,
        long received,
        Duration lasted) {
    /** As it goes over the wire, before it has a number. */
    public NetworkAttempt toWire() {
        return new NetworkAttempt(
                0,
                at,
                attempt.name().map(HostName::text).orElse(null),
                attempt.address().map(DottedQuad::text).orElse(null),
                attempt.port().isPresent() ? attempt.port().getAsInt() : null,
                attempt.protocol().map(Protocol::toString).orElse(null),
                attempt.request().map(Request::method).orElse(null),
                attempt.request().map(request -> request.path().toString()).orElse(null),
                attempt.call().map(call -> call instanceof Call.Tool(String name) ? name : null).orElse(null),
                status.isPresent() ? status.getAsInt() : null,
                verdict.toString(),
                why,
                opening.map(Rule::destination).orElse(null),
                sent,
                received,
                lasted.toMillis());
    }
}
