package dev.sandglass.engine.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleTest {
    @ParameterizedTest
    @ValueSource(strings = {
        "allow api.example.org:443",
        "deny *.example.org",
        "allow *",
        "deny *:25",
        "allow */ssh",
        "allow 203.0.113.0/24:8000-9000",
        "allow 203.0.113.7",
        "deny 203.0.113.0/24/other",
        "allow github.com:443/tls",
        "allow github.com:22,443/tls,ssh",
        "allow a.example,*.b.example,@npm,203.0.113.0/24:80,8000-9000/http,tls GET,POST /v1/*,/v2 tool:read,tool:search",
        "allow api.example.org GET,POST /v1/*",
        "allow api.example.org /v1/*",
        "allow mcp.example.org tool:read,tool:search",
        "allow mcp.example.org POST no-tool,tool:read,tool:search",
        "deny mcp.example.org no-tool",
        "allow @apt,@npm,@pip,@maven",
    })
    void isWrittenAsItIsRead(String text) {
        assertThat(Rule.parse(text)).hasToString(text).isEqualTo(Rule.parse(Rule.parse(text).toString()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "  allow   Example.ORG.:443  | allow example.org:443",
        "allow example.org,*,203.0.113.0/24 | allow *",
        "allow 203.0.113.7/32 | allow 203.0.113.7",
        "allow x.org:443-443/ssh,http,http | allow x.org:443/http,ssh",
        "allow x.org tool:b,no-tool,tool:b | allow x.org no-tool,tool:b",
        "allow x.org tool:b,tool:a /%76%31 POST,GET | allow x.org GET,POST /v1 tool:a,tool:b",
    })
    void hasOneForm(String written, String canonical) {
        assertThat(Rule.parse(written)).hasToString(canonical);
    }

    @Test
    void saysWhatItsWordsSay() {
        assertThat(Rule.parse("deny *.x.org,203.0.113.0/24:80,8000-9000/http GET /v1/* tool:run"))
                .isEqualTo(new Rule(
                        Verdict.DENY,
                        List.of(new HostPattern.Below(new HostName("x.org"))),
                        List.of(Cidr.parse("203.0.113.0/24")),
                        List.of(PortRange.of(80), new PortRange(8000, 9000)),
                        Set.of(Protocol.HTTP),
                        Set.of("GET"),
                        List.of(PathPattern.parse("/v1/*")),
                        Set.of(new Call.Tool("run"))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "permit x.org | verdict: permit (expected: allow or deny), at character 1 of the rule: permit x.org",
        "Allow x.org | verdict: Allow (expected: allow or deny), at character 1",
        "allow | rule: allow (expected: allow or deny, and a destination like",
        "allow x..org | host: x..org (expected: a name like example.org, *.example.org, *, or one of @apt, @npm, @pip, @maven), at character 7 of the rule: allow x..org",
        "allow a.org,,b.org | host: nothing (expected: a name like",
        "allow :443 | host: nothing (expected: a name like",
        "allow x.org:70000 | port: 70000 (expected: 1 to 65535), at character 13 of the rule: allow x.org:70000",
        "allow x.org:0 | port: 0 (expected: 1 to 65535)",
        "allow x.org:080 | port: 080 (expected: 1 to 65535)",
        "allow x.org:+80 | port: +80 (expected: 1 to 65535)",
        "allow x.org: | port: nothing (expected: 1 to 65535)",
        "allow x.org:80- | port: nothing (expected: 1 to 65535)",
        "allow x.org:90-80 | ports: 90-80 (expected: 80-90), at character 13",
        "allow x.org:80-90-100 | ports: 80-90-100 (expected: one port like 443, or a range like 8000-9000)",
        "allow x.org/udp | protocol: udp (expected: http, tls, ssh or other), at character 13",
        "allow x.org/TLS | protocol: TLS (expected: http, tls, ssh or other)",
        "allow x.org/tls, | protocol: nothing (expected: http, tls, ssh or other)",
        "allow x.org/tls:443 | protocol: tls:443 (expected: http, tls, ssh or other)",
        "allow x.org/ | network: x.org/ (expected: an IPv4 address",
        "allow https://x.org | destination: https://x.org (expected: a host without a scheme, like example.org:443)",
        "allow 203.0.113.7/24 | network: 203.0.113.7/24 (expected: 203.0.113.0/24, or 203.0.113.7 for the one address), at character 7",
        "allow 127.1 | network: 127.1 (expected: an IPv4 address of four decimal numbers",
        "allow 0177.0.0.1 | network: 0177.0.0.1 (expected: an IPv4 address of four decimal numbers",
        "allow 0x7f.0x1 | host: 0x7f.0x1 (expected: a name like",
        "allow [::1]:443 | destination: [::1]:443 (expected: a name, or an address of IPv4: a sandbox has no other)",
        "allow 2001:db8::/32 | destination: 2001:db8::/32 (expected: a name, or an address of IPv4",
        "allow x.org get | method: get (expected: methods in capital letters like GET,POST",
        "allow x.org GET POST | more: POST (expected: methods in capital letters",
        "allow x.org /a /b | more: /b (expected:",
        "allow x.org GET,/a | method: /a (expected:",
        "allow x.org tool:a,b | tool: b (expected: tool: and a name of 1 to 128 characters, or no-tool), at character 20",
        "allow x.org tool: | tool: tool: (expected: tool: and a name of 1 to 128 characters, or no-tool)",
        "allow x.org no-tools | tool: no-tools (expected: tool: and a name",
        "allow x.org no-tool tool:a | more: tool:a (expected:",
        "allow x.org /a/../b | path: /a/../b (expected: a path like /v1/*",
        "allow x.org/ssh GET | request: GET (expected: nothing about requests, which are on http and tls only), at character 17",
    })
    void thatIsWrongIsToldWhereAndWhatWasExpected(String written, String message) {
        assertThatThrownBy(() -> Rule.parse(written))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .hasMessageStartingWith(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "allow\tx.org", "allow x.org\n", "allow x.org\0", "allow \u212a.org", "allow\u00a0x.org", "\u001b[31mallow x.org"})
    void hasOnlyWhatCanBeSeenAndItsErrorToo(String written) {
        assertThatThrownBy(() -> Rule.parse(written))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.what()).startsWith("rule: ").matches("[\\x20-\\x7e]+"));
    }

    @Test
    void isBoundedAndSoIsItsError() {
        String hosts = "a.example,".repeat(500);
        assertThatThrownBy(() -> Rule.parse("allow " + hosts + "b.example"))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.what()).hasSizeLessThan(300).contains("at most 4096"));
    }

    @Test
    void aboutSomeHostsDoesNotMatchABareAddressUnlessItMatchesAnything() {
        Attempt bare = Attempt.to(DottedQuad.parse("203.0.113.7").orElseThrow());
        assertThat(Rule.parse("allow example.org").match(bare)).isEqualTo(Match.NO);
        assertThat(Rule.parse("allow *.org").match(bare)).isEqualTo(Match.NO);
        assertThat(Rule.parse("allow *").match(bare)).isEqualTo(Match.YES);
        assertThat(Rule.parse("allow 203.0.113.0/24").match(bare)).isEqualTo(Match.YES);
        assertThat(Rule.parse("allow example.org,203.0.113.0/24").match(bare)).isEqualTo(Match.YES);
        assertThat(Rule.parse("allow example.org,198.51.100.0/24").match(bare)).isEqualTo(Match.NO);
    }

    @Test
    void matchesAHostOrANetworkWhicheverFits() {
        Rule rule = Rule.parse("allow example.org,203.0.113.0/24");
        Attempt named = Attempt.to(new HostName("other.org"));
        assertThat(rule.match(Attempt.to(new HostName("example.org")))).isEqualTo(Match.YES);
        assertThat(rule.match(named)).isEqualTo(Match.DEPENDS);
        assertThat(rule.match(named.at(DottedQuad.parse("203.0.113.7").orElseThrow()))).isEqualTo(Match.YES);
        assertThat(rule.match(named.at(DottedQuad.parse("198.51.100.7").orElseThrow()))).isEqualTo(Match.NO);
    }

    @Test
    void aboutRequestsDoesNotMatchWhatCarriesNone() {
        Attempt attempt = Attempt.to(new HostName("x.org")).on(443);
        for (String text : List.of("allow x.org GET", "allow x.org /a", "allow x.org tool:run")) {
            assertThat(Rule.parse(text).match(attempt)).as(text).isEqualTo(Match.DEPENDS);
            assertThat(Rule.parse(text).match(attempt.speaking(Protocol.TLS))).as(text).isEqualTo(Match.DEPENDS);
            assertThat(Rule.parse(text).match(attempt.speaking(Protocol.SSH))).as(text).isEqualTo(Match.NO);
            assertThat(Rule.parse(text).match(attempt.speaking(Protocol.OTHER))).as(text).isEqualTo(Match.NO);
        }
    }

    @Test
    void aboutToolsWaitsForTheBody() {
        Attempt attempt = Attempt.to(new HostName("x.org")).speaking(Protocol.TLS).asking(Request.parse("POST", "/mcp").orElseThrow());
        Rule rule = Rule.parse("deny x.org tool:run");
        assertThat(rule.match(attempt)).isEqualTo(Match.DEPENDS);
        assertThat(rule.match(attempt.calling(new Call.Plain()))).isEqualTo(Match.NO);
        assertThat(rule.match(attempt.calling(new Call.Tool("Run")))).isEqualTo(Match.NO);
        assertThat(rule.match(attempt.calling(new Call.Tool("run")))).isEqualTo(Match.YES);
        Rule others = Rule.parse("allow x.org no-tool,tool:read");
        assertThat(others.match(attempt)).isEqualTo(Match.DEPENDS);
        assertThat(others.match(attempt.calling(new Call.Plain()))).isEqualTo(Match.YES);
        assertThat(others.match(attempt.calling(new Call.Tool("read")))).isEqualTo(Match.YES);
        assertThat(others.match(attempt.calling(new Call.Tool("run")))).isEqualTo(Match.NO);
        assertThat(others.match(attempt.calling(new Call.Tool("no-tool")))).as("a tool of that name").isEqualTo(Match.NO);
    }
}
