package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.SandboxId;

/** A sandbox that runs, with the link to its agent. */
public record LiveSandbox(SandboxRecord record, Runtime runtime, GuestLink link) {
    public SandboxId id() {
        return record.id();
    }

    public String name() {
        return record.name();
    }

    public long memoryLimitBytes() {
        return record.limits().memoryBytes();
    }

    /** How often the kernel has killed something here because memory ran out. */
    public long oomKills() {
        return runtime.usage(id()).oomKills();
    }
}
