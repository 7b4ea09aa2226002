package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AmountTest {
    @Test
    void sizesAreMegabytesUnlessTheySayOtherwise() {
        assertThat(Amount.megabytes("memory", "512")).isEqualTo(512);
        assertThat(Amount.megabytes("memory", "512m")).isEqualTo(512);
        assertThat(Amount.megabytes("memory", "1.5GiB")).isEqualTo(1536);
        assertThat(Amount.megabytes("memory", "65536K")).isEqualTo(64);
        assertThat(Amount.megabytes("memory", null)).isNull();
    }

    @Test
    void timesAreSecondsUnlessTheySayOtherwise() {
        assertThat(Amount.milliseconds("timeout", "1.5")).isEqualTo(1500);
        assertThat(Amount.milliseconds("timeout", "250ms")).isEqualTo(250);
        assertThat(Amount.milliseconds("timeout", "2h")).isEqualTo(7_200_000);
    }

    @Test
    void nonsenseIsRefusedWithWhatWasExpected() {
        for (String nonsense : new String[] {"", "-1", "0", "12x", "G", "1e400", "NaN", "1..2", "99999999999999999999"}) {
            assertThatThrownBy(() -> Amount.megabytes("memory", nonsense))
                    .isInstanceOf(UsageException.class)
                    .hasMessage("memory: " + nonsense + " (expected: megabytes, or a size such as 512M or 2G)");
        }
        assertThatThrownBy(() -> Amount.number("cpus", "-2")).hasMessage("cpus: -2 (expected: a number above 0)");
        assertThatThrownBy(() -> Amount.count("processes", "10k")).isInstanceOf(UsageException.class);
    }

    @Test
    void pairsTakeABareNameFromTheEnvironment() {
        assertThat(Pairs.parse("env", List.of("A=b=c", "HOME", "E="), Map.of("HOME", "/root")))
                .isEqualTo(Map.of("A", "b=c", "HOME", "/root", "E", ""));
        assertThat(Pairs.parse("env", List.of(), Map.of())).isNull();
        assertThatThrownBy(() -> Pairs.parse("label", List.of("x"), Map.of())).hasMessage("label: x (expected: NAME=VALUE)");
        assertThatThrownBy(() -> Pairs.parse("env", List.of("=x"), Map.of())).isInstanceOf(UsageException.class);
    }
}
