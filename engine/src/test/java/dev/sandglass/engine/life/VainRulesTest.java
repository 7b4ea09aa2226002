package dev.sandglass.engine.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.network.Cidr;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.ReservedAddresses;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VainRulesTest {
    private final ReservedAddresses reserved = new ReservedAddresses(Set::of, List.of(Cidr.parse("10.20.0.0/16")));
    private final VainRules vain = new VainRules(reserved::reason);

    @ParameterizedTest
    @ValueSource(strings = {"allow 127.0.0.1:80", "allow 169.254.169.254", "allow 192.168.0.0/16", "allow api.example.org,10.1.2.3:443"})
    void whatOpensNothingIsRefusedAndSaid(String rule) {
        Policy next = Policy.NONE.with(Rule.parse(rule));
        assertThatThrownBy(() -> vain.refuse(Policy.NONE, next)).isInstanceOf(SandglassException.class).hasMessageContaining(rule).hasMessageContaining("reserved");
        assertThat(vain.warnings(next)).hasSize(1).first().asString().contains(rule);
    }

    @ParameterizedTest
    @ValueSource(strings = {"deny 127.0.0.1:80", "allow 203.0.113.0/24", "allow 10.20.1.2:80", "allow 10.0.0.0/8", "allow 0.0.0.0/0", "allow *"})
    void whatMayOpenSomethingOrDeniesIsTaken(String rule) {
        Policy next = Policy.NONE.with(Rule.parse(rule));
        vain.refuse(Policy.NONE, next);
        assertThat(vain.warnings(next)).isEmpty();
    }

    /** Else nothing else of such a policy could be changed. */
    @Test
    void whatWasThereBeforeStays() {
        Policy before = Policy.NONE.with(Rule.parse("allow 127.0.0.1:80"));
        vain.refuse(before, before.with(Rule.parse("allow api.example.org")));
    }
}
