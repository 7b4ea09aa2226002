package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.Deadline;
import dev.sandglass.engine.sandbox.Lifecycle;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.List;

/** A record as the API shows it. */
final class Views {
    private static final long MIB = 1 << 20;

    private Views() {}

    static Sandbox of(SandboxRecord record, Outlook outlook) {
        return new Sandbox(
                record.id().text(),
                record.name(),
                record.state().text(),
                record.state().why().orElse(null),
                record.runtime(),
                record.security().text(),
                record.capabilities().stream().sorted().map(Capability::name).toList(),
                record.limits().memoryBytes() / MIB,
                record.limits().cpus(),
                record.limits().diskBytes() / MIB,
                record.limits().processes(),
                record.deadlines().timeout().map(timeout -> timeout.length().toSeconds()).orElse(null),
                record.deadlines().timeout().filter(_ -> record.state() instanceof SandboxState.Running).map(Deadline::at).orElse(null),
                record.deadlines().lifecycle().atTimeout().text(),
                record.deadlines().lifecycle().ttl().map(Duration::toSeconds).orElse(null),
                outlook.rest().orElse(null),
                record.deadlines().hardTtl().map(ttl -> ttl.length().toSeconds()).orElse(null),
                record.deadlines().hardTtl().map(Deadline::at).orElse(null),
                record.deadlines().lifecycle().autoResume(),
                record.deadlines().lifecycle().checkpoints().map(checkpoints -> checkpoints.every().toSeconds()).orElse(null),
                outlook.checkpoint().orElse(null),
                record.deadlines().lifecycle().checkpoints().map(Lifecycle.Checkpoints::keep).orElse(null),
                record.deadlines().lifecycle().restarts() ? Lifecycles.FROM_CHECKPOINT : Lifecycles.NEVER,
                record.env(),
                record.labels(),
                record.network().map(Policy::toWire).orElse(null),
                List.copyOf(record.credentials()),
                record.image(),
                record.lineage().at().map(SnapshotId::text).orElse(null),
                record.createdAt(),
                record.startedAt().orElse(null),
                record.state() instanceof SandboxState.Running(MachineProcess process) ? process.pid() : null,
                record.warnings(),
                record.volumes().stream().map(VolumeUse::toWire).toList(),
                record.commandDefaults().user().orElse(null),
                record.commandDefaults().workdir().orElse(null));
    }

    static SandglassException notRunning(SandboxRecord record) {
        return new SandglassException(
                ErrorCode.SANDBOX_NOT_RUNNING,
                "The sandbox " + record.name() + " is " + stateText(record) + ", not running.",
                switch (record.state()) {
                    case SandboxState.Stopped _, SandboxState.Failed _ ->
                        "`sandglass start " + record.name() + "` starts it again; `sandglass rm` removes it.";
                    case SandboxState.Paused _ -> "`sandglass resume " + record.name() + "` lets it go on.";
                    default -> "`sandglass inspect " + record.name() + "` tells more; `sandglass rm` removes it.";
                });
    }

    private static String stateText(SandboxRecord record) {
        if (record.state() instanceof SandboxState.Running) {
            return "ending";
        }
        return record.state().text() + record.state().why().filter(reason -> !reason.equals(Cause.API.text())).map(reason -> " (" + reason + ")").orElse("");
    }
}
