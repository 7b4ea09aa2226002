package dev.sandglass.engine.network;

import java.net.Inet4Address;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * One rule of a policy. It matches what it names; of an empty list or set it matches anything. Hosts and networks are alternatives: one of either is enough, and the host
 * {@code *} makes both empty.
 *
 * <p>As a text it is two to five words, with spaces between them:
 *
 * <pre>{@code
 * rule        = verdict where [methods] [paths] [calls]
 * verdict     = "allow" | "deny"
 * where       = destination {"," destination} [":" ports] ["/" protocols]
 * destination = name | "*." name | "*" | address | network | "@apt" | "@npm" | "@pip" | "@maven"
 * ports       = port ["-" port] {"," port ["-" port]}
 * protocols   = protocol {"," protocol}                 protocol = "http" | "tls" | "ssh" | "other"
 * methods     = method {"," method}                     in capital letters
 * paths       = path {"," path}                         begins with "/"; "*" stands for any characters
 * calls       = call {"," call}                         call = "tool:" name | "no-tool", by the tool of MCP that a body calls
 *
 * allow api.example.org:443
 * deny *.example.org
 * allow 203.0.113.0/24:8000-9000
 * allow github.com:22,443/ssh,tls
 * allow api.example.org GET,POST /v1/*
 * allow mcp.example.org no-tool,tool:search,tool:read
 * allow @npm,@pip
 * }</pre>
 */
public record Rule(
        Verdict verdict,
        List<HostPattern> hosts,
        List<Cidr> networks,
        List<PortRange> ports,
        Set<Protocol> protocols,
        Set<String> methods,
        List<PathPattern> paths,
        Set<Call> calls) {
    static final Pattern TOOL = Pattern.compile("[\\x21-\\x7e&&[^,]]{1,128}");

    public Rule {
        boolean anywhere = hosts.contains(new HostPattern.Any());
        hosts = anywhere ? List.of() : List.copyOf(hosts);
        networks = anywhere ? List.of() : List.copyOf(networks);
        ports = List.copyOf(ports);
        protocols = sorted(protocols);
        methods = sorted(methods);
        paths = List.copyOf(paths);
        calls = sorted(calls, Comparator.comparing(Call::toString));
        require(methods.stream().allMatch(each -> Request.METHOD.matcher(each).matches()), "methods are in capital letters");
        require(calls.stream().allMatch(each -> !(each instanceof Call.Tool(String name)) || TOOL.matcher(name).matches()), "names of tools are 1 to 128 visible characters of ASCII without commas");
        boolean inside = !methods.isEmpty() || !paths.isEmpty() || !calls.isEmpty();
        require(!inside || protocols.isEmpty() || protocols.stream().anyMatch(Protocol::carriesRequests), "methods, paths and tools need a protocol with requests");
    }

    private static <T extends Comparable<T>> Set<T> sorted(Set<T> values) {
        return sorted(values, Comparator.naturalOrder());
    }

    private static <T> Set<T> sorted(Set<T> values, Comparator<T> order) {
        Set<T> sorted = new TreeSet<>(order);
        sorted.addAll(values);
        return Collections.unmodifiableSet(sorted);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(what);
        }
    }

    /** What allows one host. */
    public static Rule allow(HostName name, OptionalInt port) {
        return allow(List.of(new HostPattern.Exact(name)), List.of(), port);
    }

    /** What allows one address. */
    public static Rule allow(Inet4Address address, OptionalInt port) {
        return allow(List.of(), List.of(Cidr.of(address)), port);
    }

    private static Rule allow(List<HostPattern> hosts, List<Cidr> networks, OptionalInt port) {
        List<PortRange> ports = port.isPresent() ? List.of(PortRange.of(port.getAsInt())) : List.of();
        return new Rule(Verdict.ALLOW, hosts, networks, ports, Set.of(), Set.of(), List.of(), Set.of());
    }

    public static Rule parse(String text) {
        return RuleText.parse(Word.of("the rule", text));
    }

    /** The same rule about other hosts. */
    Rule about(UnaryOperator<HostPattern> replacement) {
        List<HostPattern> replaced = hosts.stream().map(replacement).toList();
        return new Rule(verdict, replaced, networks, ports, protocols, methods, paths, calls);
    }

    /** Each part speaks of something else, so what the parts say one by one is exact for the whole. */
    Match match(Attempt attempt) {
        return where(attempt)
                .and(port(attempt))
                .and(protocol(attempt))
                .and(methods.isEmpty() && paths.isEmpty() ? Match.YES : attempt.request().map(this::request).orElse(attempt.unseen()))
                .and(calls.isEmpty() ? Match.YES : attempt.call().map(call -> Match.of(calls.contains(call))).orElse(attempt.unseen()));
    }

    private Match where(Attempt attempt) {
        if (hosts.isEmpty() && networks.isEmpty()) {
            return Match.YES;
        }
        Match match = networks.isEmpty() ? Match.NO : attempt.address().map(this::network).orElse(Match.DEPENDS);
        if (attempt.name().isPresent()) {
            for (HostPattern host : hosts) {
                match = match.or(host(host, attempt.name().get(), attempt.port()));
            }
        }
        return match;
    }

    private Match network(Inet4Address address) {
        return Match.of(networks.stream().anyMatch(network -> network.contains(address)));
    }

    private Match host(HostPattern pattern, HostName name, OptionalInt port) {
        return switch (pattern) {
            case HostPattern.Exact(HostName exact) -> Match.of(exact.equals(name));
            case HostPattern.Below(HostName parent) -> Match.of(name.isBelow(parent));
            case HostPattern.Any() -> Match.YES;
            case HostPattern.Registry(RegistryKind kind) -> throw new IllegalStateException("Nobody looked up where " + kind + " is.");
            case HostPattern.Endpoints(_, Set<Endpoint> endpoints) -> endpoint(endpoints, name, port);
        };
    }

    /** The ports of the rule count here too: one that the rule leaves out would make a promise that no port can keep. */
    private Match endpoint(Set<Endpoint> endpoints, HostName name, OptionalInt port) {
        if (port.isPresent()) {
            return Match.of(endpoints.contains(new Endpoint(name, port.getAsInt())));
        }
        boolean some = endpoints.stream().anyMatch(each -> each.host().equals(name) && isAmongPorts(each.port()));
        return some ? Match.DEPENDS : Match.NO;
    }

    private Match port(Attempt attempt) {
        if (ports.isEmpty()) {
            return Match.YES;
        }
        return attempt.port().isPresent() ? Match.of(isAmongPorts(attempt.port().getAsInt())) : Match.DEPENDS;
    }

    private boolean isAmongPorts(int port) {
        return ports.isEmpty() || ports.stream().anyMatch(range -> range.contains(port));
    }

    private Match protocol(Attempt attempt) {
        if (protocols.isEmpty()) {
            return Match.YES;
        }
        return attempt.protocol().map(protocol -> Match.of(protocols.contains(protocol))).orElse(Match.DEPENDS);
    }

    private Match request(Request request) {
        boolean method = methods.isEmpty() || methods.contains(request.method());
        return Match.of(method && (paths.isEmpty() || path(request.path())));
    }

    /** Servers read paths in two ways: what is allowed must be allowed in both, and what is denied is denied if it is so in one. */
    private boolean path(RequestPath path) {
        boolean plain = paths.stream().anyMatch(pattern -> pattern.matchesPlain(path));
        boolean loose = paths.stream().anyMatch(pattern -> pattern.matchesLoose(path));
        return switch (verdict) {
            case ALLOW -> plain && loose;
            case DENY -> plain || loose;
        };
    }

    /** What it is about, as {@code policy allow} takes it. */
    public String destination() {
        return toString().substring(verdict.toString().length() + 1);
    }

    /** What parses to this rule. */
    @Override
    public String toString() {
        return RuleText.of(this);
    }

    /** The same about one kind of call. */
    Rule aboutCall(Call call) {
        return new Rule(verdict, hosts, networks, ports, protocols, methods, paths, Set.of(call));
    }

    /** The same about one kind of request. */
    Rule aboutRequest(String method, PathPattern path) {
        return new Rule(verdict, hosts, networks, ports, protocols, Set.of(method), List.of(path), calls);
    }

    /** The same about hosts alone. */
    Rule withoutNetworks() {
        return new Rule(verdict, hosts, List.of(), ports, protocols, methods, paths, calls);
    }
}
