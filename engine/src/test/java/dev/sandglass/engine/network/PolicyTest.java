package dev.sandglass.engine.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.SandglassException;
import java.net.Inet4Address;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {
    private static final HostName API = new HostName("api.example.org");
    private static final Inet4Address ADDRESS = DottedQuad.parse("203.0.113.7").orElseThrow();
    private static final Decision OPEN = new Decision.Open();

    @Test
    void theFirstRuleThatMatchesDecides() {
        Policy policy = policy("deny", "deny secret.example.org", "allow *.example.org", "deny *");
        assertThat(policy.decide(Attempt.to(API))).isEqualTo(allowed(1));
        assertThat(policy.decide(Attempt.to(new HostName("secret.example.org")))).isEqualTo(denied(0));
        assertThat(policy.decide(Attempt.to(new HostName("other.org")))).isEqualTo(denied(2));
        assertThat(policy.decide(Attempt.to(ADDRESS))).isEqualTo(denied(2));
    }

    @Test
    void presetsSayItAll() {
        assertThat(Policy.preset("none").decide(Attempt.to(API))).isEqualTo(new Decision.Denied(OptionalInt.empty()));
        assertThat(Policy.preset("open").decide(Attempt.to(ADDRESS))).isEqualTo(new Decision.Allowed(OptionalInt.empty()));
        assertThat(Policy.preset("package-registries").rules()).hasToString("[allow @apt,@npm,@pip,@maven]");
        assertThatThrownBy(() -> Policy.preset("closed")).hasMessage("preset: closed (expected: none, open or package-registries)");
    }

    @Test
    void aQueryIsAnsweredOnlyIfSomethingOfTheNameIsAllowed() {
        Policy policy = policy("deny", "allow api.example.org:443/tls", "deny *.example.org", "allow static.example.org");
        assertThat(policy.decide(Attempt.to(API))).isEqualTo(OPEN);
        assertThat(policy.decide(Attempt.to(new HostName("static.example.org")))).isEqualTo(denied(1));
        assertThat(policy.decide(Attempt.to(new HostName("other.org")))).isInstanceOf(Decision.Denied.class);
    }

    @Test
    void eachStageKnowsMore() {
        Policy policy = policy("deny", "deny api.example.org:443 /admin/*", "deny api.example.org tool:delete", "allow api.example.org:443/tls");
        Attempt connection = Attempt.to(API).at(ADDRESS).on(443);
        assertThat(policy.decide(Attempt.to(API))).isEqualTo(OPEN);
        assertThat(policy.decide(connection)).isEqualTo(OPEN);
        assertThat(policy.decide(Attempt.to(API).at(ADDRESS).on(80))).as("port 80 is in no rule that allows").isInstanceOf(Decision.Denied.class);
        assertThat(policy.decide(connection.speaking(Protocol.SSH))).isEqualTo(new Decision.Denied(OptionalInt.empty()));
        Attempt intercepted = connection.speaking(Protocol.TLS);
        assertThat(policy.decide(intercepted)).as("to be looked into").isEqualTo(OPEN);
        assertThat(policy.decide(intercepted.asking(request("GET", "/admin/users")))).isInstanceOf(Decision.Denied.class);
        Attempt asked = intercepted.asking(request("POST", "/mcp"));
        assertThat(policy.decide(asked)).isEqualTo(OPEN);
        assertThat(policy.decide(asked.calling(new Call.Tool("delete")))).isEqualTo(denied(1));
        assertThat(policy.decide(asked.calling(new Call.Plain()))).isEqualTo(allowed(2));
    }

    @Test
    void whatHoldsWhicheverRuleMatchesIsKnownAtOnce() {
        assertThat(policy("deny", "deny api.example.org POST", "deny api.example.org").decide(Attempt.to(API))).isEqualTo(denied(1));
        assertThat(policy("allow", "allow *:443").decide(Attempt.to(API))).isEqualTo(new Decision.Allowed(OptionalInt.empty()));
    }

    @Test
    void whatIsDeniedIsOpenedByOneRule() {
        assertThat(Policy.NONE.openingRule(Attempt.to(API).at(ADDRESS).on(443)).orElseThrow()).hasToString("allow api.example.org:443");
        assertThat(Policy.NONE.openingRule(Attempt.to(ADDRESS).on(22)).orElseThrow()).hasToString("allow 203.0.113.7:22");
        assertThat(Policy.NONE.openingRule(Attempt.to(API)).orElseThrow()).hasToString("allow api.example.org");
        assertThat(Policy.OPEN.openingRule(Attempt.to(API))).isEmpty();
        Policy closed = policy("deny", "deny 203.0.113.0/24", "deny *.example.org GET");
        Attempt attempt = Attempt.to(API).at(ADDRESS).on(443).speaking(Protocol.TLS).asking(request("GET", "/")).calling(new Call.Plain());
        assertThat(closed.decide(attempt)).isEqualTo(denied(0));
        assertThat(closed.with(closed.openingRule(attempt).orElseThrow()).decide(attempt)).isEqualTo(allowed(0));
    }

    /** Else one step would open all of a host, and what another rule denies of it. */
    @Test
    void aDeniedRequestIsOpenedByARuleAboutThatRequest() {
        Policy policy = policy("deny", "deny api.example.org:443 /private/*", "allow api.example.org:443 GET");
        Attempt connection = Attempt.to(API).at(ADDRESS).on(443).speaking(Protocol.TLS);
        Attempt denied = connection.asking(request("GET", "/private/a"));
        Rule opening = policy.openingRule(denied).orElseThrow();
        assertThat(opening).hasToString("allow api.example.org:443 GET /private/a");
        Policy opened = policy.with(Rule.parse(opening.toString()));
        assertThat(opened.decide(denied)).isEqualTo(allowed(0));
        assertThat(opened.decide(connection.asking(request("GET", "/private/b")))).isEqualTo(denied(1));
        assertThat(opened.decide(connection.asking(request("POST", "/private/a")))).isEqualTo(denied(1));
        assertThat(policy.openingRule(connection.asking(request("DELETE", "/x%2Fy"))).orElseThrow()).hasToString("allow api.example.org:443 DELETE /x%2Fy");
    }

    /** Else the first message of every conversation would open all tools. */
    @Test
    void whatIsDeniedWhereToolsAreToldApartIsOpenedByARuleAboutThatCall() {
        Policy policy = policy("deny", "allow api.example.org:443 POST /mcp tool:search", "deny api.example.org tool:delete");
        Attempt asked = Attempt.to(API).at(ADDRESS).on(443).speaking(Protocol.TLS).asking(request("POST", "/mcp"));
        Attempt list = asked.calling(new Call.Plain());
        Attempt delete = asked.calling(new Call.Tool("delete"));
        assertThat(policy.openingRule(list).orElseThrow()).hasToString("allow api.example.org:443 POST /mcp no-tool");
        assertThat(policy.openingRule(delete).orElseThrow()).hasToString("allow api.example.org:443 POST /mcp tool:delete");
        Policy opened = policy.with(policy.openingRule(list).orElseThrow());
        assertThat(opened.decide(list)).isEqualTo(allowed(0));
        assertThat(opened.decide(delete)).isEqualTo(denied(2));
        assertThat(opened.decide(asked.calling(new Call.Tool("other")))).isInstanceOf(Decision.Denied.class);
    }

    /** It is copied to where people type. */
    @ParameterizedTest
    @ValueSource(strings = {"/a'$(reboot)'", "/a,b", "/a*", "/a;b", "/a!b", "/a&b", "/a`b"})
    void noRuleIsMadeOfAPathThatMeansSomethingElsewhere(String path) {
        Attempt denied = Attempt.to(API).at(ADDRESS).on(443).speaking(Protocol.TLS).asking(request("GET", path));
        assertThat(Policy.NONE.openingRule(denied)).isEmpty();
    }

    @Test
    void aRuleThatGoesBeforeAllOthersAlreadyIsNotAddedAgain() {
        Policy policy = policy("deny", "allow api.example.org:443", "deny *.example.org");
        assertThat(policy.with(Rule.parse("allow API.example.org:443"))).isEqualTo(policy);
        assertThat(policy.with(Rule.parse("deny *.example.org")).rules()).as("further down it decides about less").hasSize(3);
    }

    @Test
    void registriesAreWhereTheHostSays() {
        HostName mirror = new HostName("mirror.example");
        Policy written = policy("deny", "deny @maven", "allow @npm,api.example.org");
        assertThatThrownBy(() -> written.decide(Attempt.to(mirror))).isInstanceOf(IllegalStateException.class).hasMessageContaining("@maven");
        Policy resolved = written.resolved(kind -> kind == RegistryKind.NPM ? Set.of(new Endpoint(mirror, 8081)) : Set.of());
        assertThat(resolved.decide(Attempt.to(mirror))).as("one port of it is allowed").isEqualTo(OPEN);
        assertThat(resolved.decide(Attempt.to(mirror).on(8081))).isEqualTo(allowed(1));
        assertThat(resolved.decide(Attempt.to(mirror).on(22))).isEqualTo(new Decision.Denied(OptionalInt.empty()));
        assertThat(resolved.decide(Attempt.to(API).on(22))).isEqualTo(allowed(1));
        assertThat(resolved.toWire()).as("the rules stay as they were written").isEqualTo(written.toWire());
        assertThat(resolved.resolved(_ -> Set.of()).decide(Attempt.to(mirror))).as("looked up again").isEqualTo(new Decision.Denied(OptionalInt.empty()));
    }

    @Test
    void aRegistryOnAPortThatItsRuleLeavesOutIsNotAskedFor() {
        HostName mirror = new HostName("mirror.example");
        Policy policy = policy("deny", "allow @npm:443").resolved(_ -> Set.of(new Endpoint(mirror, 8081)));
        assertThat(policy.decide(Attempt.to(mirror))).isInstanceOf(Decision.Denied.class);
    }

    @Test
    void goesOverTheWireAndBack() {
        Policy policy = policy("allow", "deny *.example.org:25", "allow @npm", "deny x.org GET /v1/*");
        byte[] json = Json.bytes(policy.toWire());
        assertThat(json).asString().isEqualTo("{\"rules\":[\"deny *.example.org:25\",\"allow @npm\",\"deny x.org GET /v1/*\"],\"otherwise\":\"allow\"}");
        assertThat(Policy.of(Json.readStrict(NetworkPolicy.class, json))).isEqualTo(policy);
    }

    @Test
    void rulesOfARequestGoBeforeThoseOfItsPreset() {
        assertThat(Policy.of(new NetworkPolicy("open", List.of("deny *:25"), null))).isEqualTo(policy("allow", "deny *:25"));
        assertThat(Policy.of(new NetworkPolicy("package-registries", List.of("deny @pip"), null))).isEqualTo(policy("deny", "deny @pip", "allow @apt,@npm,@pip,@maven"));
        assertThat(Policy.of(new NetworkPolicy(null, List.of("allow x.org"), null))).isEqualTo(policy("deny", "allow x.org"));
        assertThat(Policy.of(new NetworkPolicy(null, null, null))).isEqualTo(Policy.NONE);
    }

    @Test
    void aRequestThatIsWrongIsToldWhichRule() {
        refused(null, List.of("allow x.org", "allow y.org:0"), null, "port: 0 (expected: 1 to 65535), at character 13 of rule 2: allow y.org:0");
        refused(null, List.of(), "maybe", "verdict: maybe (expected: allow or deny)");
        refused("open", List.of(), "deny", "otherwise: deny (expected: nothing beside a preset, which says it already)");
        refused("closed", List.of(), null, "preset: closed (expected: none, open or package-registries)");
        refused(null, Collections.nCopies(257, "allow x.org"), null, "rules: 257 (expected: at most 256)");
    }

    @Test
    void isBounded() {
        Policy full = Policy.of(new NetworkPolicy(null, Collections.nCopies(256, "allow x.org"), null));
        assertThatThrownBy(() -> full.with(Rule.parse("allow y.org"))).hasMessage("rules: 257 (expected: at most 256)");
        HostPattern host = new HostPattern.Exact(API);
        Rule tooLong = new Rule(Verdict.ALLOW, Collections.nCopies(1000, host), List.of(), List.of(), Set.of(), Set.of(), List.of(), Set.of());
        assertThatThrownBy(() -> full.with(tooLong)).isInstanceOf(SandglassException.class);
        assertThatThrownBy(() -> Policy.NONE.with(tooLong)).hasMessageContaining("rule 1: 16005 characters (expected: at most 4096)");
    }

    private static void refused(@Nullable String preset, List<String> rules, @Nullable String otherwise, String message) {
        assertThatThrownBy(() -> Policy.of(new NetworkPolicy(preset, rules, otherwise)))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .hasMessage(message);
    }

    private static Policy policy(String otherwise, String... rules) {
        return Policy.of(new NetworkPolicy(null, List.of(rules), otherwise));
    }

    private static Request request(String method, String target) {
        return Request.parse(method, target).orElseThrow();
    }

    private static Decision allowed(int rule) {
        return new Decision.Allowed(OptionalInt.of(rule));
    }

    private static Decision denied(int rule) {
        return new Decision.Denied(OptionalInt.of(rule));
    }
}
