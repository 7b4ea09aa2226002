package dev.sandglass.cli;

import org.jspecify.annotations.Nullable;

/**
 * How long a sandbox stays, in seconds; null takes what the configuration says, 0 is never.
 *
 * @param timeout after each start
 * @param hardTtl after its creation, in whatever state
 */
record Lifetime(@Nullable Long timeout, @Nullable Long hardTtl) {
    static final Lifetime CONFIGURED = new Lifetime(null, null);

    /** The options that say so. */
    record Options(Syntax.Value timeout, Syntax.Value hardTtl) {
        static Options in(Syntax syntax) {
            return new Options(
                    syntax.value("TIME", "Destroy it when it has run so long: seconds, or 30m, 2h; 0 is never.", "--timeout"),
                    syntax.value("TIME", "Destroy it after that time in whatever state it is; 0 is never.", "--hard-ttl"));
        }

        Lifetime lifetime() {
            return new Lifetime(Amount.seconds("timeout", timeout.orNull()), Amount.seconds("hard-ttl", hardTtl.orNull()));
        }
    }
}
