package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.PolicyRule;

/** {@code policy allow} and {@code policy deny}: a rule that goes before all others. */
final class PolicyRuleVerb extends PolicyVerb {
    private final String verdict;
    private final Syntax.Value host = syntax.operand(1, "HOST[:PORT]", "A name, *.name, an address, a network or a registry; with commas between several. What else, see above.");

    PolicyRuleVerb(String verdict) {
        super(new Syntax("policy " + verdict, PolicyText.described(verdict.equals("allow") ? "Let a sandbox reach something, at once." : "Keep a sandbox from something, at once. Connections to it end.")));
        this.verdict = verdict;
    }

    @Override
    NetworkPolicy policy(Client client, String named) {
        return client.addRule(named, new PolicyRule(verdict + " " + host.orEmpty()));
    }
}
