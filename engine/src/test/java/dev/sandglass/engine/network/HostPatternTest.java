package dev.sandglass.engine.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPatternTest {
    private static final HostName EXAMPLE = new HostName("example.org");

    @Test
    void isANameWhatIsBelowANameAnyNameOrARegistry() {
        assertThat(HostPattern.parse("Example.ORG.")).isEqualTo(new HostPattern.Exact(EXAMPLE));
        assertThat(HostPattern.parse("*.Example.org")).isEqualTo(new HostPattern.Below(EXAMPLE));
        assertThat(HostPattern.parse("*")).isEqualTo(new HostPattern.Any());
        assertThat(HostPattern.parse("@npm")).isEqualTo(new HostPattern.Registry(RegistryKind.NPM));
    }

    @ParameterizedTest
    @ValueSource(strings = {"example.org", "*.example.org", "*", "@apt", "@npm", "@pip", "@maven"})
    void isWrittenAsItIsRead(String text) {
        assertThat(HostPattern.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*.", "*.*", "**", "*example.org", "a.*.org", "example.*", "*.*.org", "*.1.2.3.4", "@", "@NPM", "@npm.example.org", "@cargo", "*.\u212aelvin.org", "1.2.3"})
    void isNothingElse(String text) {
        assertThatThrownBy(() -> HostPattern.parse(text))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .hasMessageContaining("(expected: a name like example.org, *.example.org, *, or one of @apt, @npm, @pip, @maven)");
    }
}
