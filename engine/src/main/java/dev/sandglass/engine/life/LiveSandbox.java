package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.SandboxId;
import java.util.concurrent.atomic.AtomicLong;

/** A sandbox that runs, with the link to its agent. Its record changes when the sandbox is updated. Thread-safe. */
public final class LiveSandbox {
    private final Runtime runtime;
    private final GuestLink link;
    private final AtomicLong uses = new AtomicLong();
    private volatile SandboxRecord record;

    LiveSandbox(SandboxRecord record, Runtime runtime, GuestLink link) {
        this.record = record;
        this.runtime = runtime;
        this.link = link;
    }

    /** Somebody wants something of it. */
    void use() {
        uses.incrementAndGet();
        link.use();
    }

    /** How often somebody has wanted something of it. */
    long uses() {
        return uses.get();
    }

    public SandboxRecord record() {
        return record;
    }

    void revise(SandboxRecord next) {
        record = next;
    }

    public Runtime runtime() {
        return runtime;
    }

    public GuestLink link() {
        return link;
    }

    public SandboxId id() {
        return record.id();
    }

    public String name() {
        return record.name();
    }

    public long memoryLimitBytes() {
        return record.limits().memoryBytes();
    }
}
