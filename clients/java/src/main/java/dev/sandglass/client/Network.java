package dev.sandglass.client;

import dev.sandglass.wire.NetworkAttempt;
import dev.sandglass.wire.NetworkAttemptList;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.PolicyRule;

/** The network of a sandbox. */
public final class Network {
    private static final int PAGE = 1000;

    private final Daemon daemon;
    private final String sandbox;

    Network(Daemon daemon, String sandbox) {
        this.daemon = daemon;
        this.sandbox = sandbox;
    }

    /** What it may reach; a {@code conflict} if it has no network. */
    public NetworkPolicy get() {
        return daemon.ask(client -> client.policy(sandbox));
    }

    /** Puts another policy in force at once, and ends connections that it forbids. */
    public NetworkPolicy set(NetworkPolicy policy) {
        return daemon.ask(client -> client.setPolicy(sandbox, policy));
    }

    /** Lets it reach something, such as {@code api.example.org:443} or {@code @npm}, whatever other rules say. */
    public NetworkPolicy allow(String what) {
        return daemon.ask(client -> client.addRule(sandbox, new PolicyRule("allow " + what)));
    }

    /** Keeps it from something, whatever other rules say. */
    public NetworkPolicy deny(String what) {
        return daemon.ask(client -> client.addRule(sandbox, new PolicyRule("deny " + what)));
    }

    /** What it tried to reach, oldest first, page by page. */
    public Paginator<NetworkAttempt> log() {
        return new Paginator<>(cursor -> {
            NetworkAttemptList page = daemon.ask(client -> client.attempts(sandbox, cursor == null ? 0 : Long.parseLong(cursor), PAGE));
            return new Paginator.Page<>(page.attempts(), page.attempts().isEmpty() ? null : Long.toString(page.next()));
        });
    }
}
