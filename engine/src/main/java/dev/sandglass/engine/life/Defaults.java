package dev.sandglass.engine.life;

import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Security;
import java.util.Optional;

/**
 * What a sandbox gets when its creator does not say.
 *
 * @param runtime a runtime's name, or {@code auto} for the best that works here
 * @param timeoutSeconds how long it may run, 0 = for ever
 * @param ttlSeconds how long nobody may use it before it is paused, 0 = for ever
 * @param hardTtlSeconds how long it may exist, 0 = for ever
 * @param hostCpus how many processors there are; more are never given
 * @param network what it may reach; without it, it has no network but itself
 */
public record Defaults(String runtime, Security security, Limits limits, long timeoutSeconds, long ttlSeconds, long hardTtlSeconds, int hostCpus, Optional<Policy> network) {
    private static final long MIB = 1 << 20;

    public static Defaults standard(int hostCpus) {
        return new Defaults(
                "auto", Security.STRICT, new Limits(1024 * MIB, Math.min(2, hostCpus), 10_240 * MIB, 1024), 0, 0, 0, hostCpus, Optional.of(Policy.preset("open")));
    }
}
