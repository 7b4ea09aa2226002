package dev.sandglass.engine.life;

import dev.sandglass.engine.network.Cidr;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Rules that allow addresses which no policy opens: whoever writes one waits in vain for something to get through.
 *
 * @param closed why no rule opens any address of a network; empty if one may
 */
record VainRules(Function<Cidr, Optional<String>> closed) {
    /** Refuses those that were not there before; to deny such addresses does no harm. */
    void refuse(Policy before, Policy next) {
        next.rules().stream().filter(rule -> !before.rules().contains(rule)).flatMap(rule -> why(rule).stream()).findFirst().ifPresent(why -> {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, why, "Sandboxes reach the public internet, and of private networks those that the setting `network_private` opens. Leave the address out.");
        });
    }

    /** What is to be said about those of a policy. */
    List<String> warnings(Policy policy) {
        return policy.rules().stream().flatMap(rule -> why(rule).stream()).toList();
    }

    private Optional<String> why(Rule rule) {
        return rule.verdict() == Verdict.DENY ? Optional.empty() : rule.networks().stream().flatMap(each -> why(rule, each).stream()).findFirst();
    }

    private Optional<String> why(Rule rule, Cidr each) {
        return closed.apply(each).map(reason -> "the rule `" + rule + "` opens nothing: " + each + " is reserved (" + reason + "), whatever a policy says");
    }
}
