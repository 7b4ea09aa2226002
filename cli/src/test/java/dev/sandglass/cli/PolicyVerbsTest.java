package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class PolicyVerbsTest extends VerbFixture {
    private static final String LOG = "GET /v1/sandboxes/box/policy/log?after=";
    private static final String GONE = "{\"code\":\"sandbox_not_found\",\"message\":\"It is gone.\",\"hint\":\"\"}";

    private static String attempt(int id, String name, String allow) {
        return "{\"id\":" + id + ",\"at\":\"2026-01-01T00:00:00Z\",\"name\":\"" + name + "\",\"verdict\":\"deny\",\"why\":\"otherwise deny\",\"allow\":\"" + allow + "\",\"sent\":0,\"received\":0,\"duration_ms\":0}";
    }

    private static String event(int id, String name, String allow) {
        return "id: " + id + "\nevent: deny\ndata: " + attempt(id, name, allow) + "\n\n";
    }

    @BeforeEach
    void follow() {
        daemon.on(LOG + "0&limit=1000", 200, "{\"attempts\":[" + attempt(5, "old.example", "old.example:443") + "],\"next\":5,\"gap\":false}")
                .on(LOG + "5", 200, event(6, "new.example", "new.example:443 GET /a") + event(7, "new.example", "new.example:443 GET /a") + event(8, "other.example", "other.example"))
                .on(LOG + "8", 404, GONE);
    }

    /** There is no end at which it could be said. */
    @Test
    void whoFollowsIsToldAtOnceWhatOpensAnAttempt() {
        console.run("policy", "log", "box", "-f", "-o", "table");
        assertThat(console.out.lines().map(line -> line.replaceAll(" +", " "))).containsExactly(
                "2026-01-01 00:00:00 DENIED old.example * (otherwise deny)",
                " * is opened by: sandglass policy allow box old.example:443",
                "2026-01-01 00:00:00 DENIED new.example * (otherwise deny)",
                " * is opened by: sandglass policy allow box 'new.example:443 GET /a'",
                "2026-01-01 00:00:00 DENIED new.example * (otherwise deny)",
                "2026-01-01 00:00:00 DENIED other.example * (otherwise deny)",
                " * is opened by: sandglass policy allow box other.example");
    }

    @Test
    void withNoneOfTheOldOnlyWhatComesIsShown() {
        console.run("policy", "log", "box", "-f", "-n", "0", "-o", "table");
        assertThat(console.out).doesNotContain("old.example").contains("new.example").contains("other.example");
        assertThat(console.run("policy", "log", "box", "-f", "-n", "-1")).isEqualTo(2);
    }

    @Test
    void whoDoesNotFollowIsToldAtTheEnd() {
        assertThat(console.run("policy", "log", "box", "-o", "table")).isZero();
        assertThat(console.out).endsWith("* is opened by:\n    sandglass policy allow box old.example:443\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"set", "allow", "deny"})
    void theHelpShowsTheFormsOfARule(String verb) {
        assertThat(console.run("policy", verb, "--help")).isZero();
        assertThat(console.out.replaceAll("\\s+", " ")).contains("github.com:22,443/ssh,tls").contains("GET,POST /v1/*").contains("tool:search");
    }

    @Test
    void noNetworkAndSomethingToReachContradictEachOther() {
        assertThat(console.run("create", "--network", "none", "--allow", "x.example")).isEqualTo(2);
        assertThat(console.err).contains("--allow without it");
        assertThat(daemon.asked).isEmpty();
    }
}
