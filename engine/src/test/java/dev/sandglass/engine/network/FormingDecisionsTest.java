package dev.sandglass.engine.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What is decided early holds for all that may become known later. Random policies meet attempts of a small universe, at every stage, and all their completions in it;
 * a matcher that was written for this test says what the complete ones get.
 */
class FormingDecisionsTest {
    private static final long SEED = Long.getLong("sandglass.seed", 20_250_101);
    private static final int ROUNDS = Integer.getInteger("sandglass.policies", 400);

    private static final List<String> HOSTS = List.of("a.org", "b.a.org", "*.a.org", "*.org", "*", "c.com", "203.0.113.0/24", "203.0.113.1", "198.51.100.0/24", "@npm", "@pip");
    private static final List<String> PORTS = List.of("", "", ":443", ":80", ":1-442", ":443-65535", ":22,443");
    private static final List<String> PROTOCOLS = List.of("", "", "", "/tls", "/http", "/ssh", "/other", "/http,tls", "/ssh,tls");
    private static final List<String> METHODS = List.of("", "", "", " GET", " POST", " GET,POST");
    private static final List<String> PATHS = List.of("", "", "", " /v1/*", " /v1/x", " /v*", " /v2");
    private static final List<String> TOOLS = List.of("", "", "", " tool:run", " tool:run,tool:read", " no-tool", " no-tool,tool:read");

    private static final Set<Endpoint> NPM = Set.of(new Endpoint(new HostName("a.org"), 443), new Endpoint(new HostName("c.com"), 80));
    private static final Set<Endpoint> PIP = Set.of(new Endpoint(new HostName("b.a.org"), 8443));

    private static final List<HostName> NAMES = List.of(new HostName("a.org"), new HostName("b.a.org"), new HostName("c.com"), new HostName("d.net"));
    private static final List<Inet4Address> ADDRESSES = List.of(address("203.0.113.1"), address("203.0.113.9"), address("198.51.100.1"), address("8.8.8.8"));
    private static final List<Integer> NUMBERS = List.of(22, 80, 443, 8443, 1);
    private static final List<Request> REQUESTS = List.of(request("GET", "/v1/x"), request("POST", "/v1/y"), request("PUT", "/v2"), request("GET", "/other"), request("POST", "/v1%2Fx"), request("PUT", "/v1/x"), request("POST", "/v2"), request("GET", "/v2"), request("POST", "/v1/x"));
    private static final List<Call> CALLS = List.of(new Call.Plain(), new Call.Tool("run"), new Call.Tool("read"), new Call.Tool("other"));

    @Test
    void holdForWhateverBecomesKnown() {
        Random random = new Random(SEED);
        int open = 0;
        int decided = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Policy policy = policy(random, random.nextInt(6));
            for (Attempt attempt : stages(random)) {
                String context = "seed " + SEED + " round " + round + ": " + policy + " about " + attempt;
                Decision decision = policy.decide(attempt);
                Set<Verdict> verdicts = verdicts(policy, attempt);
                if (decision instanceof Decision.Open) {
                    open++;
                    assertThat(attempt.isComplete()).as(context).isFalse();
                } else {
                    decided++;
                    assertThat(verdicts).as(context).containsExactly(verdict(decision));
                }
                if (verdicts.size() == 2) {
                    assertThat(decision).as(context).isEqualTo(new Decision.Open());
                }
            }
        }
        assertThat(List.of(open, decided)).as("open and decided ones").allMatch(count -> count > ROUNDS / 2);
    }

    @Test
    void ofOneRuleAreOpenOnlyWhereBothCanCome() {
        Random random = new Random(SEED);
        int open = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Policy policy = policy(random, 1);
            for (Attempt attempt : stages(random)) {
                if (policy.decide(attempt) instanceof Decision.Open) {
                    open++;
                    assertThat(verdicts(policy, attempt)).as("seed " + SEED + " round " + round + ": " + policy + " about " + attempt).hasSize(2);
                }
            }
        }
        assertThat(open).isGreaterThan(ROUNDS / 10);
    }

    @Test
    void ofCompleteAttemptsNameTheFirstRuleThatMatches() {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            Policy policy = policy(random, random.nextInt(6));
            for (Attempt attempt : completions(stages(random).getFirst())) {
                OptionalInt first = first(policy, attempt);
                Verdict verdict = first.isPresent() ? policy.rules().get(first.getAsInt()).verdict() : policy.otherwise();
                assertThat(policy.decide(attempt)).as(() -> policy + " about " + attempt).isEqualTo(Decision.of(verdict, first));
            }
        }
    }

    @Test
    void thatDenyAreTurnedByTheirOpeningRule() {
        Random random = new Random(SEED);
        int turned = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Policy policy = policy(random, random.nextInt(6));
            for (Attempt attempt : stages(random)) {
                Optional<Rule> opening = policy.openingRule(attempt);
                assertThat(opening.isPresent()).isEqualTo(policy.decide(attempt) instanceof Decision.Denied);
                if (opening.isPresent()) {
                    turned++;
                    Policy opened = policy.with(Rule.parse(opening.get().toString()));
                    assertThat(opened.decide(attempt)).as(policy + " about " + attempt).isEqualTo(new Decision.Allowed(OptionalInt.of(0)));
                    assertThat(others(attempt)).as(policy + " about what is not " + attempt).allMatch(each -> opened.decide(each) instanceof Decision.Allowed == policy.decide(each) instanceof Decision.Allowed);
                }
            }
        }
        assertThat(turned).isGreaterThan(ROUNDS);
    }

    /** The same with another call or request, as far as these are known. */
    private static List<Attempt> others(Attempt attempt) {
        List<Attempt> others = new ArrayList<>();
        attempt.call().ifPresent(call -> CALLS.stream().filter(each -> !each.equals(call)).forEach(each -> others.add(attempt.calling(each))));
        attempt.request().ifPresent(request -> REQUESTS.stream().filter(each -> !each.equals(request)).forEach(each -> others.add(attempt.asking(each))));
        return others;
    }

    private static Policy policy(Random random, int size) {
        List<Rule> rules = new ArrayList<>();
        while (rules.size() < size) {
            String protocols = oneOf(random, PROTOCOLS);
            boolean requests = !protocols.equals("/ssh") && !protocols.equals("/other");
            String hosts = oneOf(random, HOSTS) + (random.nextBoolean() ? "" : "," + oneOf(random, HOSTS));
            String inside = requests ? oneOf(random, METHODS) + oneOf(random, PATHS) + oneOf(random, TOOLS) : "";
            rules.add(Rule.parse((random.nextBoolean() ? "allow " : "deny ") + hosts + oneOf(random, PORTS) + protocols + inside));
        }
        Policy written = new Policy(rules, oneOf(random, List.of(Verdict.values())));
        return written.resolved(kind -> kind == RegistryKind.NPM ? NPM : PIP);
    }

    /** One attempt as it becomes known, from the least to all; what is known does not always come in the same order. */
    private static List<Attempt> stages(Random random) {
        List<Attempt> stages = new ArrayList<>();
        boolean named = random.nextInt(4) > 0;
        stages.add(named ? Attempt.to(oneOf(random, NAMES)) : Attempt.to(oneOf(random, ADDRESSES)));
        if (named && random.nextBoolean()) {
            stages.add(stages.getLast().on(oneOf(random, NUMBERS)).speaking(oneOf(random, List.of(Protocol.values()))));
            stages.add(stages.getLast().at(oneOf(random, ADDRESSES)));
        } else {
            stages.add(named ? stages.getLast().at(oneOf(random, ADDRESSES)) : stages.getLast());
            stages.add(stages.getLast().on(oneOf(random, NUMBERS)));
            stages.add(stages.getLast().speaking(oneOf(random, List.of(Protocol.values()))));
        }
        if (stages.getLast().protocol().orElseThrow().carriesRequests()) {
            stages.add(stages.getLast().asking(oneOf(random, REQUESTS)));
            stages.add(stages.getLast().calling(oneOf(random, CALLS)));
        }
        assertThat(stages.getLast().isComplete()).isTrue();
        return stages;
    }

    private static Set<Verdict> verdicts(Policy policy, Attempt attempt) {
        Set<Verdict> verdicts = EnumSet.noneOf(Verdict.class);
        for (Attempt complete : completions(attempt)) {
            OptionalInt first = first(policy, complete);
            verdicts.add(first.isPresent() ? policy.rules().get(first.getAsInt()).verdict() : policy.otherwise());
        }
        return verdicts;
    }

    /** All that this attempt may turn out to be. */
    private static List<Attempt> completions(Attempt attempt) {
        List<Attempt> all = List.of(attempt);
        if (attempt.address().isEmpty()) {
            all = all.stream().flatMap(each -> ADDRESSES.stream().map(each::at)).toList();
        }
        if (attempt.port().isEmpty()) {
            all = all.stream().flatMap(each -> NUMBERS.stream().map(each::on)).toList();
        }
        if (attempt.protocol().isEmpty()) {
            all = all.stream().flatMap(each -> List.of(Protocol.values()).stream().map(each::speaking)).toList();
        }
        if (attempt.request().isEmpty()) {
            all = all.stream().flatMap(each -> each.isComplete() ? List.of(each).stream() : REQUESTS.stream().map(each::asking)).toList();
        }
        return all.stream().flatMap(each -> each.isComplete() ? List.of(each).stream() : CALLS.stream().map(each::calling)).toList();
    }

    /** What the rules of a complete attempt say, read straight off the grammar. */
    private static OptionalInt first(Policy policy, Attempt attempt) {
        for (int i = 0; i < policy.rules().size(); i++) {
            if (matches(policy.rules().get(i), attempt)) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    private static boolean matches(Rule rule, Attempt attempt) {
        int port = attempt.port().orElseThrow();
        boolean anywhere = rule.hosts().isEmpty() && rule.networks().isEmpty();
        boolean host = attempt.name().isPresent() && rule.hosts().stream().anyMatch(each -> isHost(each, attempt.name().orElseThrow(), port));
        boolean network = rule.networks().stream().anyMatch(each -> each.contains(attempt.address().orElseThrow()));
        boolean spoken = rule.protocols().isEmpty() || rule.protocols().contains(attempt.protocol().orElseThrow());
        boolean method = rule.methods().isEmpty() || rule.methods().contains(attempt.request().map(Request::method).orElse("none"));
        boolean path = rule.paths().isEmpty() || attempt.request().filter(request -> isPath(rule, request.path())).isPresent();
        boolean called = rule.calls().isEmpty() || rule.calls().stream().anyMatch(each -> attempt.call().equals(Optional.of(each)));
        boolean numbered = rule.ports().isEmpty() || rule.ports().stream().anyMatch(each -> each.first() <= port && port <= each.last());
        return (anywhere || host || network) && numbered && spoken && method && path && called;
    }

    private static boolean isHost(HostPattern pattern, HostName name, int port) {
        return switch (pattern.toString()) {
            case "@npm" -> NPM.contains(new Endpoint(name, port));
            case "@pip" -> PIP.contains(new Endpoint(name, port));
            case String text when text.startsWith("*.") -> name.text().endsWith(text.substring(1));
            case String text -> name.text().equals(text);
        };
    }

    private static boolean isPath(Rule rule, RequestPath path) {
        List<String> readings = List.of(path.toString(), path.toString().replace("%2F", "/"));
        return rule.verdict() == Verdict.ALLOW ? readings.stream().allMatch(each -> isPath(rule, each)) : readings.stream().anyMatch(each -> isPath(rule, each));
    }

    private static boolean isPath(Rule rule, String path) {
        return rule.paths().stream().map(PathPattern::toString).anyMatch(each -> each.endsWith("*") ? path.startsWith(each.substring(0, each.length() - 1)) : path.equals(each));
    }

    private static Verdict verdict(Decision decision) {
        return switch (decision) {
            case Decision.Allowed _ -> Verdict.ALLOW;
            case Decision.Denied _ -> Verdict.DENY;
            case Decision.Open _ -> throw new AssertionError("open");
        };
    }

    private static <T> T oneOf(Random random, List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static Inet4Address address(String text) {
        return DottedQuad.parse(text).orElseThrow();
    }

    private static Request request(String method, String target) {
        return Request.parse(method, target).orElseThrow();
    }
}
