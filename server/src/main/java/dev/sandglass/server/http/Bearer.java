package dev.sandglass.server.http;

import java.util.Optional;

/**
 * Who calls.
 *
 * @param key what the key is known by; none of the owner, who has the token
 */
public record Bearer(Optional<String> key) {
    static final Bearer OWNER = new Bearer(Optional.empty());

    public boolean isOwner() {
        return key.isEmpty();
    }
}
