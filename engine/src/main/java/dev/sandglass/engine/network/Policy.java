package dev.sandglass.engine.network;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * What a sandbox may reach: the first rule that matches decides, and {@code otherwise} where none does. What {@link ReservedAddresses} has stays closed
 * whatever a policy says.
 */
public record Policy(List<Rule> rules, Verdict otherwise) {
    private static final int MOST = 256;
    private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]*");
    /** Without what means something to a shell, or to a rule. */
    private static final Pattern PLAIN_PATH = Pattern.compile("[A-Za-z0-9/_.~%@+=:-]{1," + PathPattern.LONGEST + "}");

    /** Nothing. */
    public static final Policy NONE = new Policy(List.of(), Verdict.DENY);

    /** Everything that is public. */
    public static final Policy OPEN = new Policy(List.of(), Verdict.ALLOW);

    /** The package registries that the host uses itself. */
    public static final Policy PACKAGE_REGISTRIES = new Policy(List.of(Rule.parse("allow @apt,@npm,@pip,@maven")), Verdict.DENY);

    public Policy {
        rules = List.copyOf(rules);
        requireFew(rules.size());
        for (int i = 0; i < rules.size(); i++) {
            int length = rules.get(i).toString().length();
            if (length > RuleText.LONGEST) {
                throw invalid("rule " + (i + 1) + ": " + length + " characters (expected: at most " + RuleText.LONGEST + ")", "Make several rules of it.");
            }
        }
    }

    private static void requireFew(int rules) {
        if (rules > MOST) {
            throw invalid("rules: " + rules + " (expected: at most " + MOST + ")", "Put several hosts into one rule, with commas between them.");
        }
    }

    private static SandglassException invalid(String message, String hint) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, message, hint);
    }

    /** The policy of this name, as on the command line. */
    public static Policy preset(String name) {
        return switch (name) {
            case "none" -> NONE;
            case "open" -> OPEN;
            case "package-registries" -> PACKAGE_REGISTRIES;
            default -> throw Word.of("preset", name).refused("preset", "none, open or package-registries");
        };
    }

    /** The policy that a request describes: its rules before those of the preset; without a preset what no rule matches is denied. */
    public static Policy of(NetworkPolicy asked) {
        if (asked.preset() != null && asked.otherwise() != null) {
            throw Word.of("otherwise", asked.otherwise()).refused("otherwise", "nothing beside a preset, which says it already");
        }
        Policy base = asked.preset() != null ? preset(asked.preset()) : asked.otherwise() != null ? new Policy(List.of(), Verdict.parse(asked.otherwise())) : NONE;
        List<String> texts = Objects.requireNonNullElse(asked.rules(), List.of());
        requireFew(texts.size());
        List<Rule> rules = new ArrayList<>();
        for (String text : texts) {
            rules.add(RuleText.parse(Word.of("rule " + (rules.size() + 1), text)));
        }
        rules.addAll(base.rules);
        return new Policy(rules, base.otherwise);
    }

    /** As it goes over the wire; {@link #of} makes the same policy of it. */
    public NetworkPolicy toWire() {
        return new NetworkPolicy(null, rules.stream().map(Rule::toString).toList(), otherwise.toString());
    }

    /** The same with a rule that goes before all others; the same as it is if that does so already. */
    public Policy with(Rule first) {
        if (!rules.isEmpty() && rules.getFirst().equals(first)) {
            return this;
        }
        List<Rule> more = new ArrayList<>(rules);
        more.addFirst(first);
        return new Policy(more, otherwise);
    }

    /** The same with the places of registries, rule for rule; it is this that decides. Places that were looked up before are looked up again. */
    public Policy resolved(Function<RegistryKind, Set<Endpoint>> places) {
        return new Policy(rules.stream().map(rule -> rule.about(host -> resolved(host, places))).toList(), otherwise);
    }

    private static HostPattern resolved(HostPattern host, Function<RegistryKind, Set<Endpoint>> places) {
        return switch (host) {
            case HostPattern.Registry(RegistryKind kind) -> new HostPattern.Endpoints(kind, places.apply(kind));
            case HostPattern.Endpoints(RegistryKind kind, _) -> new HostPattern.Endpoints(kind, places.apply(kind));
            case HostPattern.Exact _, HostPattern.Below _, HostPattern.Any _ -> host;
        };
    }

    /**
     * What is said about an attempt as far as it is known. Allowed and denied hold for whatever else becomes known; open is said where rules that may match
     * disagree. That is never so of a complete attempt. Rules that hide each other may leave open what a look at all of them together would not: an open attempt
     * that cannot become known any better is one to refuse.
     */
    public Decision decide(Attempt attempt) {
        Set<Verdict> possible = EnumSet.noneOf(Verdict.class);
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            Match match = rule.match(attempt);
            if (match == Match.YES) {
                return decided(possible, rule.verdict(), OptionalInt.of(i));
            }
            if (match == Match.DEPENDS) {
                possible.add(rule.verdict());
            }
        }
        return decided(possible, otherwise, OptionalInt.empty());
    }

    private static Decision decided(Set<Verdict> possibleBefore, Verdict last, OptionalInt rule) {
        boolean agreed = possibleBefore.isEmpty() || possibleBefore.equals(EnumSet.of(last));
        return agreed ? Decision.of(last, rule) : new Decision.Open();
    }

    /**
     * The same as far as it is about names: who asks for a name learns whether something at it may be reached for its name's sake. What a network opens is opened for addresses;
     * else one rule about a network would let every question out, and questions carry words.
     */
    public Policy aboutNames() {
        return new Policy(rules.stream().filter(rule -> rule.networks().isEmpty() || !rule.hosts().isEmpty()).map(Rule::withoutNetworks).toList(), otherwise);
    }

    /** The same for addresses that are open only to who names them: what allows everything does not. */
    public Policy aboutPrivate() {
        return new Policy(rules.stream().filter(rule -> rule.verdict() == Verdict.DENY || !rule.hosts().isEmpty() || !rule.networks().isEmpty()).toList(), Verdict.DENY);
    }

    /** Whether it tells names apart: where it does, a name that may hide another is worth nothing. */
    public boolean namesHosts() {
        return rules.stream().anyMatch(rule -> !rule.hosts().isEmpty());
    }

    /**
     * The rule that, put before all others, allows an attempt that is denied, and as little else as a rule can: what is known of a request is in it. People copy it to where they type, so none
     * has a word in it that a sandbox may have chosen freely.
     */
    public Optional<Rule> openingRule(Attempt attempt) {
        if (!(decide(attempt) instanceof Decision.Denied)) {
            return Optional.empty();
        }
        Optional<Rule> rule = attempt.request().isPresent() ? request(attempt, attempt.request().get()) : place(attempt);
        return attempt.call().isPresent() ? rule.flatMap(each -> call(each, attempt.call().get())) : rule;
    }

    private static Optional<Rule> request(Attempt attempt, Request request) {
        String path = request.path().toString();
        return PLAIN_PATH.matcher(path).matches() ? place(attempt).map(rule -> rule.aboutRequest(request.method(), PathPattern.parse(path))) : Optional.empty();
    }

    /** Where calls are told apart, what opens one request must not open the tools that are called in others. */
    private static Optional<Rule> call(Rule rule, Call call) {
        return call instanceof Call.Tool(String tool) && !PLAIN_NAME.matcher(tool).matches() ? Optional.empty() : Optional.of(rule.aboutCall(call));
    }

    private static Optional<Rule> place(Attempt attempt) {
        return attempt.name().map(name -> Rule.allow(name, attempt.port())).or(() -> attempt.address().map(address -> Rule.allow(address, attempt.port())));
    }
}
