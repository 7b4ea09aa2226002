package dev.sandglass.network.intercept;

import java.util.List;
import java.util.Optional;

/**
 * What comes along with a request that goes on.
 *
 * @param additions what is added to it
 * @param detour where it goes instead of to the server that the sandbox named
 * @param meter who counts what it uses
 */
public record Provision(List<Addition> additions, Optional<Detour> detour, Optional<Meter> meter) {
    public static final Provision NONE = of(List.of());

    public Provision {
        additions = List.copyOf(additions);
    }

    /** Only that. */
    public static Provision of(List<Addition> additions) {
        return new Provision(additions, Optional.empty(), Optional.empty());
    }
}
