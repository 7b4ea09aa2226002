package dev.sandglass.engine.network;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rules as people write them; the grammar stands at {@link Rule}. What is printed is never longer than what was read. */
final class RuleText {
    static final int LONGEST = 4096;

    private static final String TOOL = "tool:";
    private static final String NO_TOOL = new Call.Plain().toString();
    private static final String METHODS = "methods in capital letters like GET,POST, paths like /v1/* or calls like tool:search,no-tool, each once";

    private RuleText() {}

    static Rule parse(Word written) {
        boolean visible = written.text().chars().allMatch(each -> each >= ' ' && each < 0x7f);
        if (written.text().length() > LONGEST || !visible) {
            throw written.refused("rule", "at most " + LONGEST + " visible characters of ASCII");
        }
        List<Word> words = written.split(' ').stream().filter(word -> !word.text().isEmpty()).toList();
        if (words.size() < 2) {
            throw written.refused("rule", "allow or deny, and a destination like example.org:443, 203.0.113.0/24 or *");
        }
        Verdict verdict = Verdict.parse(words.getFirst());
        Where where = where(words.get(1));
        Inside inside = inside(words.subList(2, words.size()), where);
        return new Rule(verdict, where.hosts, where.networks, where.ports, where.protocols, inside.methods, inside.paths, inside.calls);
    }

    /** What the second word says. */
    private record Where(List<HostPattern> hosts, List<Cidr> networks, List<PortRange> ports, Set<Protocol> protocols) {}

    /** What the other words say, about what is inside of a connection. */
    private record Inside(Set<String> methods, List<PathPattern> paths, Set<Call> calls) {}

    private static Where where(Word written) {
        if (written.text().contains("://")) {
            throw written.refused("destination", "a host without a scheme, like example.org:443");
        }
        int slash = written.text().lastIndexOf('/');
        boolean spoken = slash >= 0 && slash + 1 < written.text().length() && Character.isLetter(written.text().charAt(slash + 1));
        Set<Protocol> protocols = spoken ? Set.copyOf(each(written.after(slash + 1), Protocol::parse)) : Set.of();
        Word place = spoken ? written.before(slash) : written;
        int colon = place.text().indexOf(':');
        if (colon != place.text().lastIndexOf(':')) {
            throw written.refused("destination", "a name, or an address of IPv4: a sandbox has no other");
        }
        List<PortRange> ports = colon < 0 ? List.of() : each(place.after(colon + 1), PortRange::parse);
        List<HostPattern> hosts = new ArrayList<>();
        List<Cidr> networks = new ArrayList<>();
        for (Word destination : (colon < 0 ? place : place.before(colon)).split(',')) {
            if (isNetwork(destination.text())) {
                networks.add(Cidr.parse(destination));
            } else {
                hosts.add(HostPattern.parse(destination));
            }
        }
        return new Where(hosts, networks, ports, protocols);
    }

    /** No name ends in a number, and none has a slash. */
    private static boolean isNetwork(String text) {
        String last = text.substring(text.lastIndexOf('.') + 1);
        boolean number = !last.isEmpty() && last.chars().allMatch(each -> each >= '0' && each <= '9');
        return number || text.indexOf('/') >= 0;
    }

    private static Inside inside(List<Word> words, Where where) {
        Set<String> methods = new HashSet<>();
        List<PathPattern> paths = new ArrayList<>();
        Set<Call> calls = new HashSet<>();
        for (Word word : words) {
            boolean first = word.text().startsWith("/") ? paths.isEmpty() : isCall(word) ? calls.isEmpty() : methods.isEmpty();
            if (!first) {
                throw word.refused("more", METHODS);
            }
            if (!where.protocols.isEmpty() && where.protocols.stream().noneMatch(Protocol::carriesRequests)) {
                throw word.refused("request", "nothing about requests, which are on http and tls only");
            }
            if (word.text().startsWith("/")) {
                paths.addAll(each(word, PathPattern::parse));
            } else if (isCall(word)) {
                calls.addAll(each(word, RuleText::call));
            } else {
                methods.addAll(each(word, RuleText::method));
            }
        }
        return new Inside(methods, paths, calls);
    }

    private static String method(Word written) {
        if (!Request.METHOD.matcher(written.text()).matches()) {
            throw written.refused("method", METHODS);
        }
        return written.text();
    }

    private static boolean isCall(Word written) {
        return written.text().startsWith(TOOL) || written.text().startsWith(NO_TOOL);
    }

    private static Call call(Word written) {
        if (written.text().equals(NO_TOOL)) {
            return new Call.Plain();
        }
        String name = written.text().startsWith(TOOL) ? written.text().substring(TOOL.length()) : "";
        return Call.of(name).orElseThrow(() -> written.refused("tool", "tool: and a name of 1 to 128 characters, or no-tool"));
    }

    private static <T> List<T> each(Word list, Function<Word, T> parse) {
        return list.split(',').stream().map(parse).toList();
    }

    static String of(Rule rule) {
        StringBuilder text = new StringBuilder(rule.verdict() + " ");
        List<Object> places = Stream.<Object>concat(rule.hosts().stream(), rule.networks().stream()).toList();
        text.append(places.isEmpty() ? HostPattern.ANY : list(places));
        text.append(rule.ports().isEmpty() ? "" : ":" + list(rule.ports()));
        text.append(rule.protocols().isEmpty() ? "" : "/" + list(rule.protocols()));
        text.append(rule.methods().isEmpty() ? "" : " " + list(rule.methods()));
        text.append(rule.paths().isEmpty() ? "" : " " + list(rule.paths()));
        text.append(rule.calls().isEmpty() ? "" : " " + list(rule.calls()));
        return text.toString();
    }

    private static String list(Collection<?> values) {
        return values.stream().map(Object::toString).collect(Collectors.joining(","));
    }
}
