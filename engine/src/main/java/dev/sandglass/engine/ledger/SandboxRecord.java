package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.Security;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A sandbox as the ledger has it.
 *
 * @param version goes up by one with each write; a write that finds another version is refused
 * @param agent digest of the agent binary that is its PID 1
 */
public record SandboxRecord(
        SandboxId id,
        long version,
        String name,
        SandboxState state,
        String runtime,
        Security security,
        Limits limits,
        Map<String, String> env,
        Map<String, String> labels,
        String image,
        String agent,
        List<String> warnings,
        Instant createdAt,
        Optional<Instant> startedAt) {
    /** The next version of this record, in another state. */
    public SandboxRecord in(SandboxState next) {
        return new SandboxRecord(
                id, version + 1, name, next, runtime, security, limits, env, labels, image, agent, warnings, createdAt, startedAt);
    }

    /** The next version of this record, running since that moment. */
    public SandboxRecord running(SandboxState.Running next, Instant since) {
        return new SandboxRecord(
                id, version + 1, name, next, runtime, security, limits, env, labels, image, agent, warnings, createdAt, Optional.of(since));
    }

    /** The next version of this record, about to be started with that agent. */
    public SandboxRecord starting(String with) {
        return new SandboxRecord(
                id,
                version + 1,
                name,
                new SandboxState.Starting(),
                runtime,
                security,
                limits,
                env,
                labels,
                image,
                with,
                warnings,
                createdAt,
                startedAt);
    }
}
