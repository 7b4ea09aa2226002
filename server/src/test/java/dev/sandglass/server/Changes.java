package dev.sandglass.server;

import dev.sandglass.wire.UpdateSandbox;
import org.jspecify.annotations.Nullable;

/** A change of a sandbox with only what a test cares about. */
final class Changes {
    private @Nullable String name;
    private @Nullable Long memoryMb;
    private @Nullable Double cpus;
    private @Nullable Long diskMb;
    private @Nullable Long processes;
    private @Nullable Long timeout;
    private @Nullable String onTimeout;
    private @Nullable Long ttl;
    private @Nullable Long hardTtl;
    private @Nullable Long checkpointEvery;
    private @Nullable Integer keepCheckpoints;
    private @Nullable String restart;

    static Changes none() {
        return new Changes();
    }

    Changes name(String text) {
        name = text;
        return this;
    }

    Changes memoryMb(long limit) {
        memoryMb = limit;
        return this;
    }

    Changes cpus(double limit) {
        cpus = limit;
        return this;
    }

    Changes diskMb(long limit) {
        diskMb = limit;
        return this;
    }

    Changes processes(long limit) {
        processes = limit;
        return this;
    }

    Changes timeout(long seconds) {
        timeout = seconds;
        return this;
    }

    Changes onTimeout(String what) {
        onTimeout = what;
        return this;
    }

    Changes ttl(long seconds) {
        ttl = seconds;
        return this;
    }

    Changes hardTtl(long seconds) {
        hardTtl = seconds;
        return this;
    }

    Changes checkpoints(long every, @Nullable Integer keep) {
        checkpointEvery = every;
        keepCheckpoints = keep;
        return this;
    }

    Changes restart(String when) {
        restart = when;
        return this;
    }

    UpdateSandbox toWire() {
        return new UpdateSandbox(name, memoryMb, cpus, diskMb, processes, null, timeout, onTimeout, ttl, hardTtl, null, checkpointEvery, keepCheckpoints, restart);
    }
}
