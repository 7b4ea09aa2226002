package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.NetworkPolicy;
import java.util.List;

/** {@code policy set}: another policy instead of the one of now. */
final class PolicySetVerb extends PolicyVerb {
    private final Syntax.Value preset = syntax.value("POLICY", "none, open or package-registries: what holds where no rule matches; none if absent.", "--preset");
    private final Syntax.Values rules = syntax.values("RULE", "A rule, such as 'allow api.example.org:443' or 'deny *.example.org'; may be repeated, the first that matches decides.", "--rule");

    PolicySetVerb() {
        super(new Syntax("policy set", PolicyText.described("Put another policy in force, at once. Connections that it forbids end.")));
    }

    @Override
    NetworkPolicy policy(Client client, String named) {
        if (preset.orNull() == null && rules.all().isEmpty()) {
            throw new UsageException("policy set: nothing to put in force (expected: --preset or --rule)");
        }
        return client.setPolicy(named, new NetworkPolicy(preset.orNull(), rules.all().isEmpty() ? null : List.copyOf(rules.all()), null));
    }
}
