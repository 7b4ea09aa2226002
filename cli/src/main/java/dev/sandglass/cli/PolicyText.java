package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.NetworkPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A policy for people: its rules in the order in which they are asked, and what holds where none matches. */
final class PolicyText {
    private PolicyText() {}

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
