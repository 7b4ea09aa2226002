package dev.sandglass.server.e2b;

import dev.sandglass.server.e2b.sandbox.NetworkConfig;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a sandbox may reach, as E2B clients say it, as a policy. Touches nothing. */
final class NetworkRules {
    private static final String EVERYTHING = "0.0.0.0/0";
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+(/[0-9]{1,2})?|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*(/[0-9]{1,3})?");
    private static final NetworkConfig NOTHING_SAID = new NetworkConfig(null, null, null, null, null, null, null);

    private NetworkRules() {}

    /**
     * The policy; nothing if nothing is said of it.
     *
     * @param internet whether everything is open that is not denied; so if absent
     */
    static Optional<NetworkPolicy> policy(@Nullable Boolean internet, @Nullable NetworkConfig config) {
        NetworkConfig said = Objects.requireNonNullElse(config, NOTHING_SAID);
        requireKnown(said);
        List<String> allowed = Objects.requireNonNullElse(said.allowOut(), List.of());
        List<String> denied = Objects.requireNonNullElse(said.denyOut(), List.of());
        if (allowed.isEmpty() && denied.isEmpty() && !Boolean.FALSE.equals(internet)) {
            return Optional.empty();
        }
        boolean closed = Boolean.FALSE.equals(internet) || denied.contains(EVERYTHING);
        boolean open = allowed.contains(EVERYTHING);
        if (!closed && allowed.stream().anyMatch(place -> !ADDRESS.matcher(place).matches())) {
            throw invalid(
                    "When specifying allowed domains in allow out, you must include 'ALL_TRAFFIC' in deny out to block all other traffic.");
        }
        List<String> rules = new ArrayList<>();
        rules(rules, "allow", allowed);
        rules(rules, "deny", denied);
        return Optional.of(new NetworkPolicy(null, rules, closed && !open ? "deny" : "allow"));
    }

    /** There is no IPv6 in a sandbox, so nothing is allowed or denied of it. */
    private static void rules(List<String> rules, String verdict, List<String> places) {
        places.stream().filter(place -> !place.equals(EVERYTHING) && place.indexOf(':') < 0).map(place -> verdict + " " + place).forEach(rules::add);
    }

    private static void requireKnown(NetworkConfig config) {
        if (config.rules() != null && !config.rules().isEmpty()) {
            throw invalid("network.rules: requests are not changed by rules here. Keep the secret outside with `sandglass credential create`, and let the sandbox have it.");
        }
        if (config.egressProxy() != null) {
            throw invalid("network.egressProxy: this server sends nothing through a proxy of the client's.");
        }
    }

    private static SandglassException invalid(String what) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, what, "");
    }
}
