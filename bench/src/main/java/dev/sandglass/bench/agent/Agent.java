package dev.sandglass.bench.agent;

import java.util.List;
import java.util.Optional;

/**
 * An agent that has a built-in template.
 *
 * @param template the name of that
 * @param version the command that makes it say which one it is
 * @param ready a line of shell that ends when its service can be used, if it has one
 */
record Agent(String template, List<String> version, Optional<String> ready) {
    static final List<Agent> ALL = List.of(
            new Agent("claude-code", List.of("claude", "--version"), Optional.empty()),
            new Agent("openclaw", List.of("openclaw", "--version"), Optional.of("until curl -fsS -o /dev/null http://127.0.0.1:18789/ 2> /dev/null; do sleep 0.1; done")));

    static Agent of(String template) {
        return ALL.stream()
                .filter(agent -> agent.template().equals(template))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--agent: " + template + " (expected: " + String.join(" or ", ALL.stream().map(Agent::template).toList()) + ")"));
    }
}
