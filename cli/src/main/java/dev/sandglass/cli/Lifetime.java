package dev.sandglass.cli;

import org.jspecify.annotations.Nullable;

/**
 * How long a sandbox stays and what becomes of it, times in seconds; null takes what the configuration says, 0 is never.
 *
 * @param timeout after each start
 * @param hardTtl after its creation, in whatever state
 */
record Lifetime(
        @Nullable Long timeout,
        @Nullable String onTimeout,
        @Nullable Long ttl,
        @Nullable Long hardTtl,
        @Nullable Boolean autoResume,
        @Nullable Long checkpointEvery,
        @Nullable Integer keep,
        @Nullable String restart) {
    static final Lifetime CONFIGURED = new Lifetime(null, null, null, null, null, null, null, null);

    /** The options that say so. */
    record Options(
            Syntax.@Nullable Value timeout,
            Syntax.Value onTimeout,
            Syntax.Value ttl,
            Syntax.Value hardTtl,
            Syntax.Flag autoResume,
            Syntax.Flag noAutoResume,
            Syntax.Value checkpointEvery,
            Syntax.Value keep,
            Syntax.Value restart) {
        static Options in(Syntax syntax) {
            return in(syntax, syntax.value("TIME", "Destroy it, disk and all, when it has run so long, or pause it (--on-timeout): seconds, or 30m, 2h; 0 is never.", "--timeout"));
        }

        /** Where a timeout is that of a command. */
        static Options withoutTimeout(Syntax syntax) {
            return in(syntax, null);
        }

        private static Options in(Syntax syntax, Syntax.@Nullable Value timeout) {
            return new Options(
                    timeout,
                    syntax.value("WHAT", "What becomes of it at its timeout: kill, which destroys it as `rm` does, pause, or pause-disk, which ends its processes.", "--on-timeout"),
                    syntax.value("TIME", "Pause it when nobody has used it for so long; 0 is never.", "--ttl"),
                    syntax.value("TIME", "Destroy it after that time in whatever state it is; 0 is never.", "--hard-ttl"),
                    syntax.flag("Let it go on when it is used while it is paused.", "--auto-resume"),
                    syntax.flag("Refuse to use it while it is paused.", "--no-auto-resume"),
                    syntax.value("TIME", "Capture it so often while it is in use: 10m; 0 is never.", "--checkpoint-every"),
                    syntax.value("N", "How many of these checkpoints are kept; 5 if absent.", "--keep"),
                    syntax.value("WHEN", "never, or from-checkpoint: go on from the last checkpoint when it ends by itself.", "--restart"));
        }

        private @Nullable Boolean resumes() {
            if (autoResume.isSet() && noAutoResume.isSet()) {
                throw new UsageException("--auto-resume does not go with --no-auto-resume");
            }
            return autoResume.isSet() ? Boolean.TRUE : noAutoResume.isSet() ? Boolean.FALSE : null;
        }

        Lifetime lifetime() {
            Long kept = Amount.count("keep", keep.orNull());
            return new Lifetime(
                    timeout == null ? null : Amount.seconds("timeout", timeout.orNull()),
                    onTimeout.orNull(),
                    Amount.seconds("ttl", ttl.orNull()),
                    Amount.seconds("hard-ttl", hardTtl.orNull()),
                    resumes(),
                    Amount.seconds("checkpoint-every", checkpointEvery.orNull()),
                    kept == null ? null : Math.toIntExact(Math.min(kept, Integer.MAX_VALUE)),
                    restart.orNull());
        }
    }
}
