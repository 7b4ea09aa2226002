package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.NetworkPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A policy for people: its rules in the order in which they are asked, and what holds where none matches. */
final class PolicyText {
    private PolicyText() {}

    /** What a verb does, and the forms of rules, for those who ask for help. */
    static String[] described(String... what) {
        List<String> lines = new ArrayList<>(List.of(what));
        lines.add("A rule is about HOST[:PORTS][/PROTOCOLS] [METHODS] [PATHS] [CALLS], in quotes with spaces:");
        lines.add("  *.example.org, 203.0.113.0/24:8000-9000, github.com:22,443/ssh,tls (http, tls, ssh, other),");
        lines.add("  'api.example.org:443 GET,POST /v1/*', 'mcp.example.org tool:search,no-tool', @apt,@npm,@pip,@maven");
        return lines.toArray(String[]::new);
    }

    static List<String> lines(NetworkPolicy policy) {
        List<String> lines = new ArrayList<>(Objects.requireNonNullElse(policy.rules(), List.of()));
        lines.add("otherwise " + policy.otherwise());
        return lines;
    }

    static String of(NetworkPolicy policy) {
        StringBuilder text = new StringBuilder();
        lines(policy).forEach(line -> text.append(Inert.text(line)).append('\n'));
        return text.toString();
    }
}
