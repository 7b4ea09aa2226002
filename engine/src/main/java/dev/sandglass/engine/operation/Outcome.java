package dev.sandglass.engine.operation;

import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.Sandbox;
import org.jspecify.annotations.Nullable;

/** What work came to: one of these, or neither. */
record Outcome(@Nullable Sandbox sandbox, @Nullable ImageInfo image) {
    static final Outcome NOTHING = new Outcome(null, null);

    static Outcome of(Sandbox made) {
        return new Outcome(made, null);
    }

    static Outcome of(ImageInfo made) {
        return new Outcome(null, made);
    }
}
