package dev.sandglass.engine.network;

import java.util.OptionalInt;

/** What a policy says about an attempt. */
public sealed interface Decision {
    /**
     * Whatever else becomes known, it may go on.
     *
     * @param rule the index of the rule that says so; empty for what holds otherwise
     */
    record Allowed(OptionalInt rule) implements Decision {}

    /**
     * Whatever else becomes known, it may not.
     *
     * @param rule the index of the rule that says so; empty for what holds otherwise
     */
    record Denied(OptionalInt rule) implements Decision {}

    /** It depends on what is not known yet. Who cannot learn more must not let it go on. */
    record Open() implements Decision {}

    static Decision of(Verdict verdict, OptionalInt rule) {
        return switch (verdict) {
            case ALLOW -> new Allowed(rule);
            case DENY -> new Denied(rule);
        };
    }
}
