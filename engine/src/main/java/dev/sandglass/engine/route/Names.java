package dev.sandglass.engine.route;

import dev.sandglass.engine.sandbox.SandboxId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What sandboxes that have routes are called now, so that strangers cost the ledger nothing. Thread-safe for who looks; changed by one at a time. */
final class Names {
    private final Map<SandboxId, String> names = new ConcurrentHashMap<>();
    private final Map<String, SandboxId> sandboxes = new ConcurrentHashMap<>();

    /** Also after a name has gone from one to another, in whatever order that is told. */
    void put(SandboxId sandbox, String name) {
        String before = names.put(sandbox, name);
        if (before != null) {
            sandboxes.remove(before, sandbox);
        }
        sandboxes.put(name, sandbox);
    }

    void remove(SandboxId sandbox) {
        String name = names.remove(sandbox);
        if (name != null) {
            sandboxes.remove(name, sandbox);
        }
    }

    /** An id counts before a name that looks like it. */
    Optional<SandboxId> find(String whole) {
        if (SandboxId.isId(whole) && names.containsKey(new SandboxId(whole))) {
            return Optional.of(new SandboxId(whole));
        }
        return Optional.ofNullable(sandboxes.get(whole));
    }
}
