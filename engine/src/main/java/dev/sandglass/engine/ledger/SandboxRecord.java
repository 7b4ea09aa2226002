package dev.sandglass.engine.ledger;

import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.Deadlines;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.VolumeUse;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A sandbox as the ledger has it.
 *
 * @param version goes up by one with each write; a write that finds another version is refused
 * @param capabilities those of its commands
 * @param agent digest of the agent binary that is its PID 1
 * @param network what it may reach; without it, it has no network but itself
 * @param credentials the names of those that its requests may get
 * @param volumes those that it has, by slot
 * @param commandDefaults what its commands get when nobody says otherwise
 */
public record SandboxRecord(
        SandboxId id,
        long version,
        String name,
        SandboxState state,
        String runtime,
        Security security,
        Set<Capability> capabilities,
        Limits limits,
        Deadlines deadlines,
        Map<String, String> env,
        Map<String, String> labels,
        String image,
        String agent,
        List<String> warnings,
        Instant createdAt,
        Optional<Instant> startedAt,
        Lineage lineage,
        Optional<Policy> network,
        Set<String> credentials,
        List<VolumeUse> volumes,
        CommandDefaults commandDefaults) {
    public SandboxRecord {
        volumes = List.copyOf(volumes);
        credentials = Collections.unmodifiableSet(new TreeSet<>(credentials));
    }

    /** This record as that of a sandbox with another id and generation. */
    public SandboxRecord as(SandboxId other, long generation) {
        return new SandboxRecord(
                other,
                version,
                name,
                state,
                runtime,
                security,
                capabilities,
                limits,
                deadlines,
                env,
                labels,
                image,
                agent,
                warnings,
                createdAt,
                startedAt,
                lineage.continued(generation),
                network,
                credentials,
                volumes, commandDefaults);
    }

    /** The next version of this record, of which a snapshot was taken. */
    public SandboxRecord at(SnapshotId taken) {
        return next(name, state, limits, deadlines, labels, agent, warnings, startedAt, lineage.at(taken));
    }

    /** The next version of this record, of which a checkpoint was taken. */
    public SandboxRecord checkpointed(SnapshotId taken, Moment now) {
        return next(name, state, limits, deadlines.checkpointed(now), labels, agent, warnings, startedAt, lineage.at(taken));
    }

    /** The next version of this record, in another state. */
    public SandboxRecord in(SandboxState next) {
        return next(name, next, limits, deadlines, labels, agent, warnings, startedAt, lineage);
    }

    /** The next version of this record, running since now, or since before if its processes merely stood still. */
    public SandboxRecord running(SandboxState.Running next, Moment now) {
        boolean goesOn = state instanceof SandboxState.Resuming(Optional<SnapshotId> at, boolean rebuild) && at.isPresent() && !rebuild;
        Optional<Instant> since = goesOn ? startedAt : Optional.of(now.at());
        return next(name, next, limits, deadlines.started(now), labels, agent, warnings, since, lineage);
    }

    /** The next version of this record, in another state and elsewhere in its line. */
    public SandboxRecord in(SandboxState next, Lineage where) {
        return next(name, next, limits, deadlines, labels, agent, warnings, startedAt, where);
    }

    /** The next version of this record, about to go on with that agent. */
    public SandboxRecord resuming(SandboxState.Resuming next, String with, Lineage where) {
        return next(name, next, limits, deadlines, labels, with, warnings, startedAt, where);
    }

    /** The next version of this record, about to be started with that agent. */
    public SandboxRecord starting(String with) {
        return next(name, new SandboxState.Starting(), limits, deadlines, labels, with, warnings, startedAt, lineage);
    }

    /** The next version of this record, with what can be changed of a sandbox. */
    public SandboxRecord revised(
            String otherName, Limits otherLimits, Deadlines otherDeadlines, Map<String, String> otherLabels, List<String> otherWarnings) {
        return next(otherName, state, otherLimits, otherDeadlines, otherLabels, agent, otherWarnings, startedAt, lineage);
    }

    /** The next version of this record, with all times beginning anew. */
    public SandboxRecord refreshed(Moment now) {
        return next(name, state, limits, deadlines.refreshed(now), labels, agent, warnings, startedAt, lineage);
    }

    /** The next version of this record, under another policy. */
    public SandboxRecord governed(Policy policy) {
        return new SandboxRecord(
                id, version + 1, name, state, runtime, security, capabilities, limits, deadlines, env, labels, image, agent, warnings, createdAt, startedAt, lineage,
                Optional.of(policy), credentials, volumes, commandDefaults);
    }

    /** The next version of this record, with these credentials. */
    public SandboxRecord entrusted(Set<String> others) {
        return new SandboxRecord(
                id, version + 1, name, state, runtime, security, capabilities, limits, deadlines, env, labels, image, agent, warnings, createdAt, startedAt, lineage,
                network, others, volumes, commandDefaults);
    }

    /** The next version of this record, with what commands get from now on when nobody says otherwise. */
    public SandboxRecord telling(CommandDefaults others) {
        Map<String, String> all = new LinkedHashMap<>(env);
        all.putAll(others.env());
        return new SandboxRecord(
                id, version + 1, name, state, runtime, security, capabilities, limits, deadlines, Collections.unmodifiableMap(all), labels, image, agent, warnings, createdAt, startedAt, lineage,
                network, credentials, volumes, others);
    }

    /** The next version of this record, with these volumes. */
    public SandboxRecord mounting(List<VolumeUse> others) {
        return equipped(version + 1, others);
    }

    /** This version of the record, with these volumes. */
    public SandboxRecord with(List<VolumeUse> wanted) {
        return equipped(version, wanted);
    }

    private SandboxRecord equipped(long itsVersion, List<VolumeUse> itsVolumes) {
        return new SandboxRecord(
                id, itsVersion, name, state, runtime, security, capabilities, limits, deadlines, env, labels, image, agent, warnings, createdAt, startedAt, lineage,
                network, credentials, itsVolumes, commandDefaults);
    }

    /** This record as the version that takes back a later one. */
    public SandboxRecord after(SandboxRecord later) {
        return later.next(name, state, limits, deadlines, labels, agent, warnings, startedAt, lineage);
    }

    private SandboxRecord next(
            String itsName,
            SandboxState itsState,
            Limits itsLimits,
            Deadlines itsDeadlines,
            Map<String, String> itsLabels,
            String itsAgent,
            List<String> itsWarnings,
            Optional<Instant> itsStart,
            Lineage itsLineage) {
        return new SandboxRecord(
                id,
                version + 1,
                itsName,
                itsState,
                runtime,
                security,
                capabilities,
                itsLimits,
                itsDeadlines,
                itsState instanceof SandboxState.Destroyed ? Map.of() : env, // there may be secrets in it
                itsLabels,
                image,
                itsAgent,
                itsWarnings,
                createdAt,
                itsStart,
                itsLineage,
                network,
                itsState instanceof SandboxState.Destroyed ? Set.of() : credentials,
                itsState instanceof SandboxState.Destroyed ? List.of() : volumes,
                commandDefaults);
    }
}
