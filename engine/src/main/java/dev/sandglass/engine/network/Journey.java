package dev.sandglass.engine.network;

import dev.sandglass.engine.sandbox.SandboxId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What became of one attempt of a sandbox to reach something.
 *
 * @param verdict whether it went on
 * @param why the rule that decided, or what else did
 * @param opening the rule that would let it through, if one would
 * @param sent bytes that the sandbox sent
 * @param received bytes that it got
 * @param lasted zero for what was refused
 */
public record Journey(
        SandboxId sandbox,
        Instant at,
        Attempt attempt,
        Verdict verdict,
        String why,
        Optional<Rule> opening,
        long sent,
        long received,
        Duration lasted) {}
