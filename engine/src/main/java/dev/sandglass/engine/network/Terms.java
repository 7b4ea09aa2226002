package dev.sandglass.engine.network;

import java.util.Set;

/**
 * On which terms a sandbox reaches others.
 *
 * @param authority a word for whom it trusts where its gateway looks into what it says; those of one word are one
 * @param credentials the names of those that are added to its requests
 */
public record Terms(Policy policy, String authority, Set<String> credentials) {
    public Terms {
        credentials = Set.copyOf(credentials);
    }
}
